import * as Cause from "effect/Cause";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { expect, test } from "vitest";
import { createTestCall, createTestRegistration } from "../../../test/contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import type { Failure } from "../../types/failure.ts";
import { failed, type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { breaker } from "./breaker.ts";

testLayerLaws("breaker", () => breaker());

const registration = createTestRegistration();
const call = () => createTestCall({ registration });
const bad = failed({ code: "failed", message: "no", ran: true });
const good = succeeded("well");
const say =
  (outcome: Outcome): Handler =>
  () =>
    Effect.succeed(outcome);

/** The codes of this many consecutive calls. */
const ask = (layer: ToolLayer, next: Handler, times = 1) =>
  Effect.map(
    Effect.replicateEffect(
      Effect.suspend(() => layer(next)(call())),
      times,
    ),
    (outcomes) => outcomes.map((each) => (each._tag === "failure" ? each.failure.code : each._tag)),
  );

const open = Effect.gen(function* () {
  const layer = breaker({ failures: 2, cooldown: "30 seconds" });
  yield* ask(layer, say(bad), 2);
  return layer;
});

test("answers calls without running the tool after the given number of consecutive failures", async () => {
  let ran = 0;
  const next: Handler = () =>
    Effect.sync(() => {
      ran++;
      return bad;
    });
  const codes = await runWithTestClock(ask(breaker({ failures: 3 }), next, 5));
  expect(codes).toEqual(["failed", "failed", "failed", "circuit_open", "circuit_open"]);
  expect(ran).toBe(3);
});

test("resets the count after a success", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = breaker({ failures: 2 });
      yield* ask(layer, say(bad));
      yield* ask(layer, say(good));
      return yield* ask(layer, say(bad), 2);
    }),
  );
  expect(codes).toEqual(["failed", "failed"]);
});

test("reports retryAfterMs and ran: false for a refused call", async () => {
  const answer = await runWithTestClock(
    Effect.gen(function* () {
      const layer = yield* open;
      yield* TestClock.adjust("10 seconds");
      return yield* layer(say(good))(call());
    }),
  );
  expect(answer).toMatchObject({
    failure: { code: "circuit_open", tool: "get_weather", retryAfterMs: 20_000, ran: false },
  });
});

test("makes the tool unavailable until the cooldown ends", async () => {
  const layer = await runWithTestClock(open);
  expect([0, 29_999, 30_000].map((now) => layer.isAvailable?.("get_weather", now))).toEqual([
    false,
    false,
    true,
  ]);
  expect(layer.isAvailable?.("another", 0)).toBe(true);
});

test("keeps the tool available when the wall clock is set back", async () => {
  const layer = await runWithTestClock(
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000);
      return yield* open;
    }),
  );
  expect(layer.isAvailable?.("get_weather", 1_000_000)).toBe(false);
  expect(layer.isAvailable?.("get_weather", 500_000)).toBe(true);
});

test("sends one probe call after the cooldown and closes when it succeeds", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = yield* open;
      yield* TestClock.adjust("30 seconds");
      const gate = yield* Deferred.make<Outcome>();
      const probe = yield* Effect.forkChild(layer(() => Deferred.await(gate))(call()), {
        startImmediately: true,
      });
      const meanwhile = yield* ask(layer, say(good));
      yield* Deferred.succeed(gate, good);
      const tested = yield* Fiber.join(probe);
      return [...meanwhile, tested._tag, ...(yield* ask(layer, say(bad))), ...(yield* ask(layer, say(good)))];
    }),
  );
  expect(codes).toEqual(["circuit_open", "value", "failed", "value"]);
});

test("starts another cooldown when the probe call fails", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = yield* open;
      yield* TestClock.adjust("30 seconds");
      const tested = yield* ask(layer, say(bad));
      const after = yield* ask(layer, say(good));
      yield* TestClock.adjust("29999 millis");
      const still = yield* ask(layer, say(good));
      yield* TestClock.adjust(1);
      return [tested, after, still, yield* ask(layer, say(good))].flat();
    }),
  );
  expect(codes).toEqual(["failed", "circuit_open", "circuit_open", "value"]);
});

test("sends the next call as probe when a probe call is cancelled or inconclusive", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = yield* open;
      yield* TestClock.adjust("30 seconds");
      const probe = yield* Effect.forkChild(layer(() => Effect.never)(call()), { startImmediately: true });
      yield* Fiber.interrupt(probe);
      const denied = yield* ask(layer, say(failed({ code: "denied", message: "no" })));
      return [...denied, ...(yield* ask(layer, say(good)))];
    }),
  );
  expect(codes).toEqual(["denied", "value"]);
});

test("ignores the results of calls that started before it opened", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = breaker({ failures: 1, cooldown: "30 seconds" });
      const gates = [yield* Deferred.make<Outcome>(), yield* Deferred.make<Outcome>()] as const;
      const fibers = yield* Effect.forEach(gates, (gate) =>
        Effect.forkChild(layer(() => Deferred.await(gate))(call()), { startImmediately: true }),
      );
      yield* ask(layer, say(bad));
      yield* TestClock.adjust("10 seconds");
      yield* Deferred.succeed(gates[0], good);
      yield* Deferred.succeed(gates[1], bad);
      yield* Fiber.awaitAll(fibers);
      const resting = yield* ask(layer, say(good));
      yield* TestClock.adjust("20 seconds");
      return [...resting, ...(yield* ask(layer, say(good)))];
    }),
  );
  expect(codes).toEqual(["circuit_open", "value"]);
});

test.each<Failure>([
  { code: "denied", message: "" },
  { code: "invalid_input", message: "" },
  { code: "overloaded", message: "" },
  { code: "cancelled", message: "" },
  { code: "outside_refused", message: "" },
  { code: "failed", message: "", retryable: false },
])("does not count $code as a failure of the tool", async (failure) => {
  const codes = await runWithTestClock(ask(breaker({ failures: 1 }), say(failed(failure)), 3));
  expect(codes).not.toContain("circuit_open");
});

test.each<Failure>([
  { code: "crashed", message: "" },
  { code: "timed_out", message: "" },
  { code: "mcp_unreachable", message: "" },
  { code: "failed", message: "", retryable: false, answerLost: true },
])("counts $code as a failure of the tool", async (failure) => {
  const codes = await runWithTestClock(ask(breaker({ failures: 1 }), say(failed(failure)), 2));
  expect(codes).toEqual([failure.code, "circuit_open"]);
});

test("counts a defect as a failure of the tool", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = breaker({ failures: 1 });
      yield* Effect.exit(ask(layer, () => Effect.die("broken")));
      return yield* ask(layer, say(good));
    }),
  );
  expect(codes).toEqual(["circuit_open"]);
});

test("counts a failure once and sends one probe when it is applied at two scopes", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = breaker({ failures: 2, cooldown: "30 seconds" });
      const twice: ToolLayer = (next) => layer(layer(next));
      const failing = yield* ask(twice, say(bad), 3);
      yield* TestClock.adjust("30 seconds");
      return [...failing, ...(yield* ask(twice, say(good)))];
    }),
  );
  expect(codes).toEqual(["failed", "failed", "circuit_open", "value"]);
});

test("keeps the state of each tool apart", async () => {
  const answer = await runWithTestClock(
    Effect.gen(function* () {
      const layer = yield* open;
      return yield* layer(say(good))(createTestCall({ tool: "another" }));
    }),
  );
  expect(answer).toBe(good);
});

test("counts each attempt of one call", async () => {
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const handler = breaker({ failures: 2 })(say(bad));
      const again = call();
      return yield* Effect.replicateEffect(handler(again), 3);
    }),
  );
  expect(codes.map((each) => (each._tag === "failure" ? each.failure.code : each._tag))).toEqual([
    "failed",
    "failed",
    "circuit_open",
  ]);
});

test("counts a defect, also of a cancelled call, but not a cancellation", async () => {
  const both = Cause.fromReasons<never>([
    Cause.makeInterruptReason(),
    Cause.makeDieReason(new Error("broke")),
  ]);
  const cancelled = Cause.fromReasons<never>([Cause.makeInterruptReason()]);
  const codes = await runWithTestClock(
    Effect.gen(function* () {
      const layer = breaker({ failures: 1 });
      yield* Effect.exit(layer(() => Effect.failCause(cancelled))(call()));
      const before = yield* ask(layer, say(good));
      yield* Effect.exit(layer(() => Effect.failCause(both))(call()));
      return [...before, ...(yield* ask(layer, say(good)))];
    }),
  );
  expect(codes).toEqual(["value", "circuit_open"]);
});
