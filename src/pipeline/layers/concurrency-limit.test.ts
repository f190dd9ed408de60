import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import { expect, test } from "vitest";
import { createTestCall } from "../../../test/contracts/test-call.ts";
import { runWithTestClock } from "../../../test/contracts/test-layer-laws.ts";
import { type Outcome, succeeded } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { limit } from "./limit.ts";

const answer: Handler = () => Effect.succeed(succeeded("in"));
const enter = (layer: ToolLayer, next = answer, agent = "a") =>
  Effect.forkChild(layer(next)(createTestCall({ principal: { agent } })), { startImmediately: true });

/** Runs with a test clock and counts its sleeps. */
const countingSleeps = <A>(body: (sleeps: () => number) => Effect.Effect<A>): Promise<A> => {
  let sleeps = 0;
  const counted = Effect.clockWith((clock) =>
    Effect.provideService(
      body(() => sleeps),
      Clock.Clock,
      {
        ...clock,
        sleep: (duration) => {
          sleeps++;
          return clock.sleep(duration);
        },
      },
    ),
  );
  return runWithTestClock(counted);
};

test("admits a call that waits for the rate after another waiting call was interrupted", async () => {
  const outcome = await runWithTestClock(
    Effect.gen(function* () {
      const layer = limit({ rate: "1 per minute" });
      yield* layer(answer)(createTestCall());
      yield* Fiber.interrupt(yield* enter(layer));
      const second = yield* enter(layer);
      yield* TestClock.adjust("1 minute");
      return second.pollUnsafe();
    }),
  );
  expect(outcome).toMatchObject({ _tag: "Success", value: succeeded("in") });
});

test("does not sleep when no call waits", async () => {
  const [waiting, after] = await countingSleeps((sleeps) =>
    Effect.gen(function* () {
      const layer = limit({ rate: "1 per second" });
      yield* layer(answer)(createTestCall());
      const second = yield* enter(layer);
      const before = sleeps();
      yield* TestClock.adjust("10 seconds");
      yield* Fiber.join(second);
      return [before, sleeps()] as const;
    }),
  );
  expect([waiting, after]).toEqual([1, 1]);
});

test("does not sleep while all slots are taken", async () => {
  const [sleeping, outcome] = await countingSleeps((sleeps) =>
    Effect.gen(function* () {
      const layer = limit({ concurrency: 1, rate: "100 per second" });
      const gate = yield* Deferred.make<Outcome>();
      const first = yield* enter(layer, () => Deferred.await(gate));
      const second = yield* enter(layer);
      yield* TestClock.adjust("10 seconds");
      const before = sleeps();
      yield* Deferred.succeed(gate, succeeded("out"));
      yield* Fiber.join(first);
      return [before, yield* Fiber.join(second)] as const;
    }),
  );
  expect(sleeping).toBe(0);
  expect(outcome).toEqual(succeeded("in"));
});

/** Which of the waiting calls and the new call a full queue refuses. */
const refusedOf = (queue: number, waiting: readonly string[], newcomer: string) =>
  runWithTestClock(
    Effect.gen(function* () {
      const layer = limit({ concurrency: 1, queue });
      const first = yield* enter(layer, () => Effect.never, "first");
      const fibers = yield* Effect.forEach([...waiting, newcomer], (agent) => enter(layer, answer, agent));
      const refused = fibers.map((fiber) => fiber.pollUnsafe() !== undefined);
      yield* Fiber.interrupt(first);
      return refused;
    }),
  );

test("refuses the last call of the agent with most waiting calls when the queue is full", async () => {
  expect(await refusedOf(4, ["a", "b", "b", "b"], "c")).toEqual([false, false, false, true, false]);
  expect(await refusedOf(4, ["b", "b", "b", "a"], "c")).toEqual([false, false, true, false, false]);
});

test("refuses a new call of an agent that would have as many waiting calls as any other", async () => {
  expect(await refusedOf(3, ["a", "a", "b"], "b")).toEqual([false, false, false, true]);
});
