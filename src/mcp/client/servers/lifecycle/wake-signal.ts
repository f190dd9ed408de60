import * as Effect from "effect/Effect";

/** Wakes one waiting fiber. Earlier signals are merged into one. */
export interface WakeSignal {
  readonly notify: () => void;
  readonly wait: Effect.Effect<void>;
  readonly clear: () => void;
}

export const createWakeSignal = (): WakeSignal => {
  let isPending = false;
  let resumeWaiter: (() => void) | undefined;
  return {
    notify: () => {
      isPending = true;
      resumeWaiter?.();
    },
    clear: () => {
      isPending = false;
    },
    wait: Effect.callback<void>((resume) => {
      const answer = (): void => {
        isPending = false;
        resumeWaiter = undefined;
        resume(Effect.void);
      };
      if (isPending) {
        answer();
        return;
      }
      resumeWaiter = answer;
      return Effect.sync(() => {
        if (resumeWaiter === answer) resumeWaiter = undefined;
      });
    }),
  };
};
