import * as Effect from "effect/Effect";
import { TestClock } from "effect/testing";
import { expect, it } from "vitest";
import { runWithTestClock } from "../../../test/contracts/test-layer-laws.ts";
import { pausableDeadline } from "./program-calls.ts";

it("does not count the time of its pauses", async () => {
  const received = await runWithTestClock(
    Effect.gen(function* () {
      let isOver = false;
      const deadline = yield* pausableDeadline(1_000, () => {
        isOver = true;
      });
      yield* TestClock.adjust(5_000);
      deadline.start();
      const seen: boolean[] = [];
      const after = (millis: number) =>
        Effect.map(TestClock.adjust(millis), () => {
          seen.push(isOver);
        });
      yield* after(600);
      const [first, second] = [deadline.pause(), deadline.pause()];
      yield* after(5_000);
      first();
      yield* after(5_000);
      second();
      yield* after(399);
      yield* after(2);
      return seen;
    }),
  );
  expect(received).toEqual([false, false, false, false, true]);
});

it("does not expire after it was cancelled", async () => {
  const isOver = await runWithTestClock(
    Effect.gen(function* () {
      let rang = false;
      const deadline = yield* pausableDeadline(1_000, () => {
        rang = true;
      });
      deadline.start();
      deadline.cancel();
      yield* TestClock.adjust(5_000);
      return rang;
    }),
  );
  expect(isOver).toBe(false);
});
