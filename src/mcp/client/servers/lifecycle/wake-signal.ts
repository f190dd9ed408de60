import * as Effect from "effect/Effect";

/** Wakes one fiber that waits. Sent several times while nobody waits, it wakes once. */
export interface WakeSignal {
  readonly ring: () => void;
  readonly woken: Effect.Effect<void>;
  /** Forgets that it was sent. */
  readonly hush: () => void;
}

export const wakeSignal = (): WakeSignal => {
  let isRung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      isRung = true;
      wake?.();
    },
    hush: () => {
      isRung = false;
    },
    woken: Effect.callback<void>((resume) => {
      const answer = (): void => {
        isRung = false;
        wake = undefined;
        resume(Effect.void);
      };
      if (isRung) {
        answer();
        return;
      }
      wake = answer;
      return Effect.sync(() => {
        if (wake === answer) wake = undefined;
      });
    }),
  };
};
