import { isDeepStrictEqual } from "node:util";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTestCall, createTestRegistration, notesOfCall } from "../../../test/contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { failed, final, handoff, type Outcome, rewrite, succeeded } from "../../types/outcome.ts";
import type { Principal } from "../../types/principal.ts";
import type { Handler } from "../../types/tool.ts";
import { cache } from "./cache.ts";

testLayerLaws("cache", () => cache());

const registration = createTestRegistration({ annotations: { readOnly: true } });
const call = (input: unknown = { city: "Oslo" }, principal: Principal = { agent: "a" }): AuthorizedCall =>
  createTestCall({ registration, input, principal });

/** Answers each call with the number of calls so far. */
const counting = () => {
  const seen = { calls: 0 };
  const next: Handler = () => Effect.sync(() => succeeded({ count: ++seen.calls }));
  return { seen, next };
};

const counts = (handler: Handler, calls: readonly AuthorizedCall[]) =>
  Effect.map(Effect.forEach(calls, handler), (outcomes) =>
    outcomes.map((each) => (each._tag === "value" ? (each.value as { count: number }).count : each._tag)),
  );

test("answers an equal call from memory and adds a note", async () => {
  const { next } = counting();
  const again = call({ b: [1, { y: 2, x: 1 }], a: "z" });
  const seen = await runWithTestClock(
    counts(cache()(next), [call({ a: "z", b: [1, { x: 1, y: 2 }] }), again]),
  );
  expect(seen).toEqual([1, 1]);
  expect(notesOfCall(again)).toEqual(["cache: answered from memory"]);
});

test("distinguishes inputs that differ at any depth", async () => {
  const { next } = counting();
  const inputs = [
    { a: { b: { c: 1 } } },
    { a: { b: { c: 2 } } },
    { a: { b: { c: "1" } } },
    { a: { b: { d: 1 } } },
    [1],
    {},
  ];
  const seen = await runWithTestClock(
    counts(
      cache()(next),
      inputs.map((input) => call(input)),
    ),
  );
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
});

test("shares an answer exactly when two inputs are the same JSON", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), async (one, other) => {
      const { next, seen } = counting();
      const handler = cache()(next);
      await runWithTestClock(counts(handler, [call(one), call(JSON.parse(JSON.stringify(one)))]));
      expect(seen.calls).toBe(1);
      await runWithTestClock(counts(handler, [call(other)]));
      const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      expect(seen.calls).toBe(isDeepStrictEqual(asJson(one), asJson(other)) ? 1 : 2);
    }),
    { numRuns: 100 },
  );
});

test("keeps the answers of each agent, user, tenant and session apart", async () => {
  const { next } = counting();
  const who: Principal[] = [
    { agent: "a" },
    { agent: "b" },
    { agent: "a", user: "u" },
    { agent: "a", tenant: "u" },
    { agent: "a", session: "other" },
  ];
  const seen = await runWithTestClock(
    counts(
      cache()(next),
      who.map((each) => call({}, each)),
    ),
  );
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});

test("shares answers between all callers when shared is set", async () => {
  const { next } = counting();
  const calls = [call({}, { agent: "a" }), call({}, { agent: "b", user: "u" })];
  expect(await runWithTestClock(counts(cache({ shared: true })(next), calls))).toEqual([1, 1]);
});

test("does not cache a tool that writes", async () => {
  const { next } = counting();
  const writing = createTestRegistration();
  const calls = [createTestCall({ registration: writing }), createTestCall({ registration: writing })];
  expect(await runWithTestClock(counts(cache()(next), calls))).toEqual([1, 2]);
});

test("drops answers when a tool is registered again", async () => {
  const { next } = counting();
  const renewed = createTestRegistration({ annotations: { readOnly: true } });
  const calls = [call({}), createTestCall({ registration: renewed, input: {}, principal: { agent: "a" } })];
  expect(await runWithTestClock(counts(cache()(next), calls))).toEqual([1, 2]);
});

test("does not answer a call whose input a layer has changed", async () => {
  const { next } = counting();
  const changed = { ...call({ city: "Rome" }), input: { city: "Oslo" } };
  expect(await runWithTestClock(counts(cache()(next), [call({ city: "Oslo" }), changed]))).toEqual([1, 2]);
});

test.each<[string, Outcome]>([
  ["a failure", failed({ code: "failed", message: "no" })],
  ["a rewritten value", rewrite("short", "long")],
  ["a final value", final("done")],
  ["a handoff", handoff("writer")],
  ["a value that is not JSON", succeeded(new Map())],
])("does not keep %s", async (_title, outcome) => {
  let calls = 0;
  const handler = cache()(() =>
    Effect.sync(() => {
      calls++;
      return outcome;
    }),
  );
  await runWithTestClock(Effect.forEach([call(), call()], handler));
  expect(calls).toBe(2);
});

test("keeps an answer until its ttl ends", async () => {
  const { next } = counting();
  const handler = cache({ ttl: "1 minute" })(next);
  const seen = await runWithTestClock(
    Effect.gen(function* () {
      const first = yield* counts(handler, [call()]);
      yield* TestClock.adjust("59999 millis");
      const second = yield* counts(handler, [call()]);
      yield* TestClock.adjust(1);
      return [first, second, yield* counts(handler, [call()])].flat();
    }),
  );
  expect(seen).toEqual([1, 1, 2]);
});

test("evicts the least recently used answer", async () => {
  const { next } = counting();
  const [a, b, c] = [{ a: 1 }, { b: 1 }, { c: 1 }];
  const calls = [a, b, a, c, a, b].map((input) => call(input));
  expect(await runWithTestClock(counts(cache({ max: 2 })(next), calls))).toEqual([1, 2, 1, 3, 1, 4]);
});

test("gives each caller a copy of the answer", async () => {
  const handler = cache()(() => Effect.sync(() => succeeded({ list: [1] })));
  const values = await runWithTestClock(
    Effect.forEach([call(), call(), call()], (each) =>
      Effect.map(handler(each), (outcome) => {
        const { list } = (outcome as { value: { list: number[] } }).value;
        list.push(2);
        return list.length;
      }),
    ),
  );
  expect(values).toEqual([2, 2, 2]);
});

/** Concurrent equal calls, and the gate that completes the work. */
const flight = (callers: number) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<Outcome>();
    const seen = { started: 0, stopped: 0 };
    const handler = cache()(() =>
      Effect.callback((resume) => {
        seen.started++;
        const fiber = Effect.runFork(Deferred.await(gate));
        fiber.addObserver(resume);
        return Effect.sync(() => {
          seen.stopped++;
        });
      }),
    );
    const calls = Array.from({ length: callers }, () => call());
    const fibers = yield* Effect.forEach(calls, (each) =>
      Effect.forkChild(handler(each), { startImmediately: true }),
    );
    return { gate, seen, handler, calls, fibers };
  });

test("runs concurrent equal calls once and gives each caller a copy", async () => {
  const { seen, answers, notes } = await runWithTestClock(
    Effect.gen(function* () {
      const { gate, seen, calls, fibers } = yield* flight(5);
      yield* Deferred.succeed(gate, succeeded({ celsius: 21 }));
      const answers = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber));
      return { seen, answers, notes: calls.map((each) => notesOfCall(each).length) };
    }),
  );
  expect(seen).toEqual({ started: 1, stopped: 0 });
  expect(answers).toEqual(Array.from({ length: 5 }, () => succeeded({ celsius: 21 })));
  expect(new Set(answers.map((each) => each._tag === "value" && each.value)).size).toBe(5);
  expect(notes).toEqual([0, 1, 1, 1, 1]);
});

test("shares a failure between concurrent equal calls and runs the next call again", async () => {
  const no = failed({ code: "failed", message: "no" });
  const { seen, answers } = await runWithTestClock(
    Effect.gen(function* () {
      const { gate, seen, handler, fibers } = yield* flight(2);
      yield* Deferred.succeed(gate, no);
      const answers = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber));
      yield* handler(call());
      return { seen, answers };
    }),
  );
  expect(answers).toEqual([no, no]);
  expect(seen.started).toBe(2);
});

test("continues shared work when the caller that started it is interrupted", async () => {
  const { seen, answer } = await runWithTestClock(
    Effect.gen(function* () {
      const { gate, seen, fibers } = yield* flight(3);
      yield* Fiber.interrupt(fibers[0]!);
      yield* Fiber.interrupt(fibers[1]!);
      yield* Deferred.succeed(gate, succeeded(1));
      return { seen, answer: yield* Fiber.join(fibers[2]!) };
    }),
  );
  expect(answer).toEqual(succeeded(1));
  expect(seen).toEqual({ started: 1, stopped: 0 });
});

test("stops shared work when all callers are interrupted", async () => {
  const seen = await runWithTestClock(
    Effect.gen(function* () {
      const { seen, fibers, handler } = yield* flight(3);
      yield* Effect.forEach(fibers, (fiber) => Fiber.interrupt(fiber));
      const after = { ...seen };
      yield* Effect.forkChild(handler(call()), { startImmediately: true });
      return [after, { ...seen }];
    }),
  );
  expect(seen).toEqual([
    { started: 1, stopped: 1 },
    { started: 2, stopped: 1 },
  ]);
});

test("expires an answer at its ttl or when the clock is set back", async () => {
  const { next } = counting();
  const seen = await runWithTestClock(
    Effect.gen(function* () {
      const handler = cache({ ttl: "1 minute" })(next);
      const at = (time: number) => Effect.flatMap(TestClock.setTime(time), () => counts(handler, [call()]));
      return [yield* at(5_000_000), yield* at(5_059_999), yield* at(5_060_000), yield* at(4_000_000)].flat();
    }),
  );
  expect(seen).toEqual([1, 1, 2, 3]);
});

test("shares nothing between inputs that are not JSON", async () => {
  const { next } = counting();
  const handler = cache()((each) => Effect.andThen(Effect.yieldNow, next(each)));
  const run = Effect.forEach([call({ n: 1n }), call({ n: 2n })], handler, { concurrency: 2 });
  expect(await runWithTestClock(run)).toEqual([succeeded({ count: 1 }), succeeded({ count: 2 })]);
});

test("keeps the answers of each env apart", async () => {
  const { next } = counting();
  const [here, there] = [{ at: "home" }, { at: "work" }];
  const around = (env: unknown) => createTestCall({ registration, env });
  const seen = await runWithTestClock(
    counts(cache()(next), [here, there, here, "home", "work", null, "home"].map(around)),
  );
  expect(seen).toEqual([1, 2, 1, 3, 4, 5, 3]);
});
