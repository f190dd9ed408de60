import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { expect, test } from "vitest";
import { createTestCall } from "../../../../test/contracts/test-call.ts";
import { runWithTestClock } from "../../../../test/contracts/test-layer-laws.ts";
import { type Outcome, succeeded } from "../../../types/outcome.ts";
import type { Handler } from "../../../types/tool.ts";
import { timeout } from "../timeout.ts";

const limited = (next: Handler) => Effect.suspend(() => timeout("1 second")(next)(createTestCall()));
const never: Handler = () => Effect.never;
/** Waits until scheduled tasks have run. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)));

test("stops a call that starts in the moment when another ends", async () => {
  const outcome = await runWithTestClock(
    Effect.gen(function* () {
      const gate = yield* Deferred.make<Outcome>();
      const both = Effect.andThen(
        limited(() => Deferred.await(gate)),
        limited(never),
      );
      const fiber = yield* Effect.forkChild(both, { startImmediately: true });
      yield* Deferred.succeed(gate, succeeded("first"));
      yield* TestClock.adjust("5 seconds");
      return fiber.pollUnsafe();
    }),
  );
  expect(outcome).toMatchObject({ value: { failure: { code: "timed_out" } } });
});

test("stops whenever no call is running", async () => {
  const left = await runWithTestClock(
    Effect.clockWith((clock) => {
      let sleeping = 0;
      const counted: Clock.Clock = {
        ...clock,
        sleep: (duration) =>
          Effect.suspend(() => {
            sleeping++;
            return Effect.ensuring(
              clock.sleep(duration),
              Effect.sync(() => {
                sleeping--;
              }),
            );
          }),
      };
      const once = Effect.gen(function* () {
        const [first, second] = [yield* Deferred.make<Outcome>(), yield* Deferred.make<Outcome>()];
        const calls = Effect.andThen(
          limited(() => Deferred.await(first)),
          limited(() => Deferred.await(second)),
        );
        const fiber = yield* Effect.forkChild(calls, { startImmediately: true });
        yield* Deferred.succeed(first, succeeded(1));
        yield* turn;
        const during = sleeping;
        yield* Deferred.succeed(second, succeeded(2));
        yield* Fiber.join(fiber);
        yield* turn;
        return [during, sleeping];
      });
      return Effect.provideService(Effect.replicateEffect(once, 3), Clock.Clock, counted);
    }),
  );
  expect(left).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
  ]);
});
