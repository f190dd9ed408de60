import * as Effect from "effect/Effect";

/** Wakes one waiting fiber. Earlier signals are merged into one. */
export interface WakeSignal {
  readonly ring: () => void;
  readonly woken: Effect.Effect<void>;
  readonly hush: () => void;
}

export const createWakeSignal = (): WakeSignal => {
  let isPending = false;
  let resumeWaiter: (() => void) | undefined;
  return {
    ring: () => {
      isPending = true;
      resumeWaiter?.();
    },
    hush: () => {
      isPending = false;
    },
    woken: Effect.callback<void>((resume) => {
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
