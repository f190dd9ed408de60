/** Named gates that slow tools and stories wait at. */
export interface Gates {
  readonly wait: (name: string, signal?: AbortSignal) => Promise<void>;
  /** Releases the waiting callers, or the next one if none is waiting. */
  readonly open: (name: string) => void;
}

export const gates = (): Gates => {
  const waiting = new Map<string, (() => void)[]>();
  const opened = new Map<string, number>();
  return {
    wait: (name, signal) =>
      new Promise((resolve, reject) => {
        const ahead = opened.get(name) ?? 0;
        if (ahead > 0) {
          opened.set(name, ahead - 1);
          resolve();
          return;
        }
        waiting.set(name, [...(waiting.get(name) ?? []), resolve]);
        signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      }),
    open: (name) => {
      const all = waiting.get(name) ?? [];
      waiting.delete(name);
      if (all.length === 0) opened.set(name, (opened.get(name) ?? 0) + 1);
      for (const resolve of all) resolve();
    },
  };
};

/** Gates for manual use that open after a delay. */
export const clockGates = (ms: number): Gates => ({
  wait: (_, signal) =>
    new Promise((resolve, reject) => {
      // allow-sleep: only for a server that a person looks at
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(new Error("aborted"));
      });
    }),
  open: () => {},
});
