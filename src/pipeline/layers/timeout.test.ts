import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { expect, test } from "vitest";
import { createTestCall } from "../../../test/contracts/test-call.ts";
import { runWithTestClock, testLayerLaws } from "../../../test/contracts/test-layer-laws.ts";
import { succeeded } from "../../types/outcome.ts";
import type { Handler } from "../../types/tool.ts";
import { timeout } from "./timeout.ts";

testLayerLaws("timeout", () => timeout("5 seconds"));

/** A handler that never ends, and counts its interruptions. */
const endless = () => {
  const seen = { started: 0, stopped: 0 };
  const next: Handler = () =>
    Effect.suspend(() => {
      seen.started++;
      return Effect.onInterrupt(Effect.never, () => Effect.sync(() => seen.stopped++));
    });
  return { seen, next };
};

test("stops a slow call and reports the tool and the limit", async () => {
  const { seen, next } = endless();
  const { before, answer } = await runWithTestClock(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(timeout("5 seconds")(next)(createTestCall()), {
        startImmediately: true,
      });
      yield* TestClock.adjust("4999 millis");
      const before = fiber.pollUnsafe();
      yield* TestClock.adjust("1 millis");
      return { before, answer: yield* Fiber.join(fiber) };
    }),
  );
  expect(before).toBeUndefined();
  expect(answer).toMatchObject({
    _tag: "failure",
    failure: { code: "timed_out", tool: "get_weather", ran: true },
  });
  expect(answer).toHaveProperty(
    "failure.message",
    'The tool "get_weather" did not answer within 5s and was stopped.',
  );
  expect(seen).toEqual({ started: 1, stopped: 1 });
});

test("does not wait for uninterruptible work", async () => {
  const answer = await runWithTestClock(
    Effect.gen(function* () {
      const stubborn: Handler = () => Effect.uninterruptible(Effect.never);
      const fiber = yield* Effect.forkChild(timeout(100)(stubborn)(createTestCall()), {
        startImmediately: true,
      });
      yield* TestClock.adjust(100);
      return yield* Fiber.join(fiber);
    }),
  );
  expect(answer).toHaveProperty("failure.code", "timed_out");
});

test("stops each of several calls at its own deadline", async () => {
  const layered = timeout("1 second")(endless().next);
  const seen = await runWithTestClock(
    Effect.gen(function* () {
      const seen: string[] = [];
      const start = (name: string) =>
        Effect.forkChild(
          Effect.map(layered(createTestCall()), () => seen.push(name)),
          { startImmediately: true },
        );
      yield* start("a");
      yield* TestClock.adjust(400);
      yield* start("b");
      yield* TestClock.adjust(599);
      seen.push("999");
      yield* TestClock.adjust(1);
      seen.push("1000");
      yield* TestClock.adjust(399);
      seen.push("1399");
      yield* TestClock.adjust(1);
      return seen;
    }),
  );
  expect(seen).toEqual(["999", "a", "1000", "1399", "b"]);
});

test("gives a later call its full time after an earlier call has answered", async () => {
  const result = await runWithTestClock(
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>();
      const layered = timeout("1 second")((call) =>
        call.request.raw.id === "quick" ? Effect.as(Deferred.await(gate), succeeded("quick")) : Effect.never,
      );
      const quick = yield* Effect.forkChild(layered(createTestCall({ id: "quick" })), {
        startImmediately: true,
      });
      yield* TestClock.adjust(900);
      yield* Deferred.succeed(gate, undefined);
      const first = yield* Fiber.join(quick);
      yield* TestClock.adjust(1);
      const slow = yield* Effect.forkChild(layered(createTestCall({ id: "slow" })), {
        startImmediately: true,
      });
      yield* TestClock.adjust(999);
      const early = slow.pollUnsafe();
      yield* TestClock.adjust(1);
      return { first, early, last: yield* Fiber.join(slow) };
    }),
  );
  expect(result.first).toEqual(succeeded("quick"));
  expect(result.early).toBeUndefined();
  expect(result.last).toHaveProperty("failure.code", "timed_out");
});

test("applies the shorter of two limits in both orders", async () => {
  for (const layers of [
    [timeout("1 second"), timeout("2 seconds")],
    [timeout("2 seconds"), timeout("1 second")],
  ] as const) {
    const { seen, next } = endless();
    const answer = await runWithTestClock(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(layers[0](layers[1](next))(createTestCall()), {
          startImmediately: true,
        });
        yield* TestClock.adjust("1 second");
        return yield* Fiber.join(fiber);
      }),
    );
    expect(answer).toHaveProperty("failure.message", expect.stringContaining("1s"));
    expect(seen.stopped).toBe(1);
  }
});

test("waits for the cleanup of the work when the caller is interrupted", async () => {
  const order: string[] = [];
  await runWithTestClock(
    Effect.gen(function* () {
      const next: Handler = () =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => order.push("cleaned")),
          ),
        );
      const fiber = yield* Effect.forkChild(timeout("1 second")(next)(createTestCall()), {
        startImmediately: true,
      });
      yield* Fiber.interrupt(fiber);
      order.push("interrupted");
    }),
  );
  expect(order).toEqual(["cleaned", "interrupted"]);
});

test("keeps no timer when all calls are answered, and one timer for consecutive calls", async () => {
  let fallenAsleep = 0;
  let asleep = 0;
  const sleep = () =>
    Effect.suspend(() => {
      fallenAsleep++;
      asleep++;
      return Effect.onInterrupt(Effect.never, () => Effect.sync(() => asleep--));
    });
  const next: Handler = () =>
    Effect.andThen(
      Effect.promise(() => Promise.resolve()),
      Effect.succeed(succeeded(asleep)),
    );
  const layered = timeout("1 hour")(next);
  const seen = await Effect.runPromise(
    Effect.gen(function* () {
      const clock: Clock.Clock = {
        ...(yield* Effect.clockWith(Effect.succeed)),
        sleep,
        monotonicTimeNanosUnsafe: () => 0n,
      };
      yield* Effect.provideService(Effect.replicateEffect(layered(createTestCall()), 20), Clock.Clock, clock);
      const during = { fallenAsleep, asleep };
      yield* Effect.yieldNow;
      yield* Effect.yieldNow;
      return { during, after: { fallenAsleep, asleep } };
    }),
  );
  expect(seen).toEqual({ during: { fallenAsleep: 1, asleep: 1 }, after: { fallenAsleep: 1, asleep: 0 } });
});

test.each(["5 parsecs", 0, -1, Number.NaN])("refuses a limit of %s", (limit) => {
  expect(() => timeout(limit as never)).toThrow(/timeout is .* it must be a duration of at least 1 ms/);
});
