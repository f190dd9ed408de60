import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTestCall, createTestRegistration } from "../../../test/contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { limit } from "./limit.ts";

testLayerLaws("limit", () => limit({ concurrency: 1, rate: "1000 per minute" }));

const registration = createTestRegistration();
const call = (id: string, agent = "a"): AuthorizedCall =>
  createTestCall({ registration, id, principal: { agent, session: "s" } });

/** A tool whose calls end when the test ends them. */
const stage = () => {
  const started: string[] = [];
  const inside = new Map<string, Deferred.Deferred<Outcome>>();
  let most = 0;
  const next: Handler = (each) => {
    const { id } = each.request.raw;
    const done = Deferred.makeUnsafe<Outcome>();
    started.push(id);
    inside.set(id, done);
    most = Math.max(most, inside.size);
    return Effect.ensuring(
      Deferred.await(done),
      Effect.sync(() => inside.delete(id)),
    );
  };
  const end = (id: string) => Deferred.succeed(inside.get(id)!, succeeded(id));
  return { started, inside, next, end, most: () => most };
};

const start = (handler: Handler, each: AuthorizedCall) =>
  Effect.forkChild(handler(each), { startImmediately: true });

const codeOf = (exit: Exit.Exit<Outcome> | undefined): string | undefined =>
  exit !== undefined && Exit.isSuccess(exit) && exit.value._tag === "failure"
    ? exit.value.failure.code
    : undefined;

test("queues calls beyond the concurrency and starts one when another ends", async () => {
  const tool = stage();
  await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ concurrency: 2 })(tool.next);
      const fibers = yield* Effect.forEach(["1", "2", "3", "4"], (id) => start(handler, call(id)));
      expect(tool.started).toEqual(["1", "2"]);
      yield* tool.end("2");
      yield* Fiber.join(fibers[1]!);
      expect(tool.started).toEqual(["1", "2", "3"]);
      yield* tool.end("1");
      yield* tool.end("3");
      yield* Fiber.join(fibers[2]!);
      yield* tool.end("4");
      yield* Fiber.join(fibers[3]!);
    }),
  );
  expect(tool.most()).toBe(2);
});

test("counts the calls of all tools that share it", async () => {
  const tool = stage();
  await runWithTestClock(
    Effect.gen(function* () {
      const layer = limit({ concurrency: 1 });
      yield* start(layer(tool.next), call("1"));
      yield* start(layer(tool.next), createTestCall({ id: "2", tool: "another" }));
      expect(tool.started).toEqual(["1"]);
    }),
  );
});

test("reports overloaded with ran: false when the queue is full", async () => {
  const tool = stage();
  const exit = await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ concurrency: 1, queue: 1 })(tool.next);
      yield* start(handler, call("1"));
      yield* start(handler, call("2"));
      return (yield* start(handler, call("3"))).pollUnsafe();
    }),
  );
  expect(exit).toMatchObject({
    value: { failure: { code: "overloaded", tool: "get_weather", ran: false } },
  });
});

test("does not delay other agents when one agent floods the queue", async () => {
  const tool = stage();
  await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ concurrency: 1, queue: 10_000 })(tool.next);
      for (let i = 0; i < 5_000; i++) yield* start(handler, call(`flood-${i}`, "loud"));
      const others: Fiber.Fiber<Outcome>[] = [];
      for (let i = 0; i < 10; i++) others.push(yield* start(handler, call(`other-${i}`, "quiet")));
      while (others.some((each) => each.pollUnsafe() === undefined)) {
        yield* tool.end(tool.started.at(-1)!);
        yield* Effect.yieldNow;
      }
      expect(tool.started.length).toBeLessThanOrEqual(22);
    }),
  );
});

test("refuses the agent with most queued calls when the queue is full", async () => {
  const tool = stage();
  await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ concurrency: 1, queue: 4 })(tool.next);
      const loud = yield* Effect.forEach(["0", "1", "2", "3", "4", "5"], (id) =>
        start(handler, call(id, "loud")),
      );
      const quiet = yield* Effect.forEach(["a", "b", "c"], (id) => start(handler, call(id, "quiet")));
      expect(loud.map((each) => codeOf(each.pollUnsafe()))).toEqual([
        undefined,
        undefined,
        undefined,
        "overloaded",
        "overloaded",
        "overloaded",
      ]);
      expect(quiet.map((each) => codeOf(each.pollUnsafe()))).toEqual([undefined, undefined, "overloaded"]);
    }),
  );
});

test("removes an interrupted call from the queue", async () => {
  const tool = stage();
  await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ concurrency: 1, queue: 1 })(tool.next);
      yield* start(handler, call("1"));
      const second = yield* start(handler, call("2"));
      yield* Fiber.interrupt(second);
      const third = yield* start(handler, call("3"));
      expect(third.pollUnsafe()).toBeUndefined();
      yield* tool.end("1");
      yield* Effect.yieldNow;
    }),
  );
  expect(tool.started).toEqual(["1", "3"]);
});

test("answers 5,000 queued calls that are released at once", async () => {
  const tool = stage();
  const answers = await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ concurrency: 1, queue: 5_000 })((each) =>
        each.request.raw.id === "first" ? tool.next(each) : Effect.succeed(succeeded(each.request.raw.id)),
      );
      yield* start(handler, call("first"));
      const fibers: Fiber.Fiber<Outcome>[] = [];
      for (let i = 0; i < 5_000; i++) fibers.push(yield* start(handler, call(`${i}`)));
      yield* tool.end("first");
      return yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber));
    }),
  );
  expect(answers).toHaveLength(5_000);
  expect(new Set(answers.map((each) => each._tag === "value" && each.value)).size).toBe(5_000);
});

test("keeps every window within the rate and starts queued calls as early as possible", async () => {
  const seen: [number, string][] = [];
  await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ rate: "2 per second" })((each) =>
        Effect.clockWith((clock) => {
          seen.push([clock.currentTimeMillisUnsafe(), each.request.raw.id]);
          return Effect.succeed(succeeded(1));
        }),
      );
      yield* start(handler, call("1"));
      yield* TestClock.adjust(400);
      yield* Effect.forEach(["2", "3", "4", "5"], (id) => start(handler, call(id)));
      yield* TestClock.adjust("10 seconds");
      yield* start(handler, call("6"));
    }),
  );
  expect(seen).toEqual([
    [0, "1"],
    [400, "2"],
    [1_000, "3"],
    [1_400, "4"],
    [2_000, "5"],
    [10_400, "6"],
  ]);
});

test("adds the wait of queued calls to retryAfterMs", async () => {
  const exits = await runWithTestClock(
    Effect.gen(function* () {
      const handler = limit({ rate: "1 per minute", queue: 1 })(() => Effect.succeed(succeeded(1)));
      yield* start(handler, call("1"));
      yield* TestClock.adjust("10 seconds");
      yield* start(handler, call("2"));
      return (yield* start(handler, call("3"))).pollUnsafe();
    }),
  );
  expect(exits).toMatchObject({ value: { failure: { code: "overloaded", retryAfterMs: 110_000 } } });
});

test("stops its timer when no call is queued", async () => {
  const asleep: number[] = [];
  let sleeping = 0;
  await runWithTestClock(
    Effect.gen(function* () {
      const clock = yield* Effect.clockWith(Effect.succeed);
      const counted = {
        ...clock,
        sleep: () =>
          Effect.suspend(() => {
            sleeping++;
            return Effect.onInterrupt(Effect.never, () => Effect.sync(() => sleeping--));
          }),
      };
      const handler = limit({ rate: "1 per minute" })(() => Effect.succeed(succeeded(1)));
      const under = Effect.provideService(Clock.Clock, counted);
      yield* under(handler(call("1")));
      asleep.push(sleeping);
      const fibers = [
        yield* Effect.forkChild(under(handler(call("2"))), { startImmediately: true }),
        yield* Effect.forkChild(under(handler(call("3"))), { startImmediately: true }),
      ];
      asleep.push(sleeping);
      for (const fiber of fibers) {
        yield* Fiber.interrupt(fiber);
        asleep.push(sleeping);
      }
    }),
  );
  expect(asleep).toEqual([0, 1, 1, 0]);
});

test("releases each slot exactly once, however its call ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.constantFrom("value", "defect", "interrupt", "throw"), { minLength: 1, maxLength: 30 }),
      async (concurrency, endings) => {
        const tool = stage();
        await runWithTestClock(
          Effect.gen(function* () {
            const handler = limit({ concurrency, queue: 100 })((each) => {
              if (each.input === "throw") throw new Error("broken");
              return tool.next(each);
            });
            const fibers = yield* Effect.forEach(endings, (ending, i) =>
              start(handler, createTestCall({ registration, id: `${i}`, input: ending })),
            );
            for (const [i, ending] of endings.entries()) {
              const done = tool.inside.get(`${i}`);
              if (ending === "interrupt" || done === undefined) yield* Fiber.interrupt(fibers[i]!);
              else if (ending === "defect") yield* Deferred.die(done, "broken");
              else yield* tool.end(`${i}`);
              yield* Effect.yieldNow;
              expect(tool.inside.size).toBeLessThanOrEqual(concurrency);
            }
            yield* Fiber.awaitAll(fibers);
            const again = yield* Effect.forEach(Array.from({ length: concurrency + 1 }).keys(), (i) =>
              start(handler, call(`again-${i}`)),
            );
            expect(tool.inside.size).toBe(concurrency);
            yield* Fiber.interruptAll(again);
          }),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test.each([{ concurrency: 0 }, { queue: -1 }, { rate: "many" }])("refuses options %o", (options) => {
  expect(() => limit(options as never)).toThrow(/limit/);
});
