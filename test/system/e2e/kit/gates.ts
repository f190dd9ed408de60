/** What is waited for until somebody lets it go on: a slow tool, the rest of a story. */
export interface Gates {
  readonly wait: (name: string, signal?: AbortSignal) => Promise<void>;
  /** Lets whoever waits at this gate go on, and the next one too where nobody waits yet. */
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

/** The same for people who look by hand: everything goes on by itself, after a while. */
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
