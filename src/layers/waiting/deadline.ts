import * as Effect from "effect/Effect";
import type { Outcome } from "../../words/outcome.ts";
import { setAlarm } from "./alarm.ts";

/**
 * Answers with the work, or with `onTimeout` once `millis` are over: the work is then interrupted and not waited
 * for. Work that answers at once costs no timer. A caller that gives up waits for the work to clean up, but not
 * beyond the same time; `onCancel` tells the work before anything else does.
 */
export const withDeadline = (
  work: Effect.Effect<Outcome>,
  millis: number,
  onTimeout: () => Outcome,
  onCancel?: () => void,
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
      let isOver = false;
      let ring = (): void => {
        isOver = true;
        child.interruptUnsafe(parent.id);
        resume(Effect.sync(onTimeout));
      };
      const bell = setAlarm(parent, millis, () => ring());
      child.addObserver((done) => {
        bell.cancel();
        if (!isOver) resume(done);
      });
      return Effect.callback<void>((done) => {
        ring = () => done(Effect.void);
        child.addObserver(ring);
        onCancel?.();
        child.interruptUnsafe(parent.id);
      });
    }),
  );
