import * as Effect from "effect/Effect";
import type { Outcome } from "../../../types/outcome.ts";
import { startTimer } from "./timer.ts";

export interface DeadlineOptions {
  readonly onTimeout: () => Outcome;
  readonly onCancel?: () => void;
  readonly fork?: <A>(start: () => A) => A;
}

/**
 * After the deadline, the work is interrupted and not awaited. An interrupted caller waits for the work's
 * cleanup until the deadline.
 */
export const withDeadline = (
  work: Effect.Effect<Outcome>,
  millis: number,
  { onTimeout, onCancel, fork = startNow }: DeadlineOptions,
): Effect.Effect<Outcome> =>
  Effect.withFiber((parent) =>
    // Starts inside the callback, so that an interruption cannot leave the work running.
    Effect.callback((resume) => {
      const child = fork(() => Effect.runForkWith(parent.context)(work));
      const exit = child.pollUnsafe();
      if (exit !== undefined) {
        resume(exit);
        return;
      }
      let isExpired = false;
      let onExpired = (): void => {
        isExpired = true;
        child.interruptUnsafe(parent.id);
        resume(Effect.sync(onTimeout));
      };
      const timer = startTimer(parent, millis, () => onExpired());
      child.addObserver((done) => {
        timer.cancel();
        if (!isExpired) resume(done);
      });
      return Effect.callback<void>((done) => {
        onExpired = () => done(Effect.void);
        child.addObserver(onExpired);
        onCancel?.();
        child.interruptUnsafe(parent.id);
      });
    }),
  );

const startNow = <A>(start: () => A): A => start();
