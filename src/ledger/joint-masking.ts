import type { Masking } from "../types/ledger.ts";

export interface JointMasking {
  readonly masking: Masking;
  /** Adds a masking until the returned function is called. */
  readonly add: (more: Masking) => () => void;
}

/** For runtimes that share a ledger. */
export const createJointMasking = (first: Masking): JointMasking => {
  let all: readonly Masking[] = [first];
  return {
    masking: {
      text: (text) => {
        let safe = first.text(text);
        for (let i = 1; i < all.length; i++) safe = all[i]!.text(safe);
        return safe;
      },
      value: (value) => {
        let safe = first.value(value);
        for (let i = 1; i < all.length; i++) safe = all[i]!.value(safe);
        return safe;
      },
    },
    add: (more) => {
      all = [...all, more];
      return () => {
        all = all.filter((each) => each !== more);
      };
    },
  };
};
