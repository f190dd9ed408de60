import * as Effect from "effect/Effect";
import type { Outcome } from "../../../types/outcome.ts";
import { startTimer } from "./timer.ts";

export interface DeadlineOptions {
  /** Answers in place of the work once its time is up. */
  readonly onTimeout: () => Outcome;
  /** Tells the work that its caller gave up, before anything else does. */
  readonly onCancel?: () => void;
  /** Starts the work, where it has to start in a context of its own. */
  readonly fork?: <A>(start: () => A) => A;
}

/**
 * Answers with the work, or with `onTimeout` once `millis` are over: the work is then interrupted and not waited
 * for. Work that answers at once costs no timer. A caller that gives up waits for the work to clean up, but not
 * beyond the same time.
 */
export const withDeadline = (
  work: Effect.Effect<Outcome>,
  millis: number,
  { onTimeout, onCancel, fork = startNow }: DeadlineOptions,
): Effect.Effect<Outcome> =>
  Effect.withFiber((parent) =>
    // The work starts inside the callback: a fiber interrupted on its way there would leave it running.
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
