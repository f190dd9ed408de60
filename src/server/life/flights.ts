export interface Flights {
  /** One more request in flight; call what comes back when its answer is out or nobody waits for it. */
  readonly begin: (isStanding: boolean) => () => void;
  readonly all: () => number;
  /** Those that end by themselves. */
  readonly passing: () => number;
  readonly onEnd: (listener: () => void) => () => void;
}

/** What is in flight, so that it can be bounded, and waited for at the end. */
export const flights = (): Flights => {
  let all = 0;
  let passing = 0;
  const listeners = new Set<() => void>();
  return {
    begin: (isStanding) => {
      all += 1;
      if (!isStanding) passing += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        all -= 1;
        if (!isStanding) passing -= 1;
        for (const listener of listeners) listener();
      };
    },
    all: () => all,
    passing: () => passing,
    onEnd: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
