export interface RequestsInFlight {
  /** One more request in flight; call what comes back when its answer is out or nobody waits for it. */
  readonly begin: (caller: string, isStanding: boolean) => () => void;
  readonly all: () => number;
  readonly of: (caller: string) => number;
  /** Those that end by themselves. */
  readonly passing: () => number;
  readonly onEnd: (listener: () => void) => () => void;
}

/** What is in flight, so that it can be bounded, and waited for at the end. */
export const flights = (): RequestsInFlight => {
  let all = 0;
  let passing = 0;
  const callers = new Map<string, number>();
  const listeners = new Set<() => void>();
  const of = (caller: string): number => callers.get(caller) ?? 0;
  return {
    begin: (caller, isStanding) => {
      all += 1;
      callers.set(caller, of(caller) + 1);
      if (!isStanding) passing += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        all -= 1;
        const left = of(caller) - 1;
        if (left === 0) callers.delete(caller);
        else callers.set(caller, left);
        if (!isStanding) passing -= 1;
        for (const listener of listeners) listener();
      };
    },
    all: () => all,
    of,
    passing: () => passing,
    onEnd: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
