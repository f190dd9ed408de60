import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { Outcome } from "../../words/outcome.ts";
import { setAlarm } from "./alarm.ts";

/**
 * Answers with the work, or with `onTimeout` once `millis` are over: the work is then interrupted and
 * not waited for. Work that answers at once costs no timer.
 */
export const withDeadline = (
  work: Effect.Effect<Outcome>,
  millis: number,
  onTimeout: () => Outcome,
): Effect.Effect<Outcome> =>
  Effect.withFiber((parent) =>
    // The work starts inside the callback: a fiber interrupted on its way there would leave it running.
    Effect.callback((resume) => {
      const child = Effect.runForkWith(parent.context)(work);
      const exit = child.pollUnsafe();
      if (exit !== undefined) {
        resume(exit);
        return;
      }
      let forget = (): void => {};
      const bell = setAlarm(parent, millis, () => {
        forget();
        child.interruptUnsafe(parent.id);
        resume(Effect.sync(onTimeout));
      });
      forget = child.addObserver((done) => {
        bell.cancel();
        resume(done);
      });
      return Effect.suspend(() => {
        bell.cancel();
        return Fiber.interrupt(child);
      });
    }),
  );
