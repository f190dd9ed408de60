import { endsChannel } from "./jobs.ts";
import type { Queue } from "./queue.ts";

/** Tells when something may have happened to runs that go on elsewhere. */
export interface RunEnds {
  /** Resolves as soon as the run may have come to rest, and after `withinMs` at the latest; early once the signal says so. */
  readonly next: (runId: string, withinMs: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** One connection listens for everybody who waits; whoever misses a notice looks again by itself. */
export const runEnds = (queue: Queue): RunEnds => {
  const waiting = new Map<string, Set<() => void>>();
  let listening: Promise<() => Promise<void>> | undefined;
  const hear = (payload: string | undefined): void => {
    const runIds = payload === undefined ? [...waiting.keys()] : payload.split(" ");
    for (const runId of runIds) for (const wake of waiting.get(runId) ?? []) wake();
  };
  return {
    next: (runId, withinMs, signal) => {
      // Where nobody can listen, looking again is enough.
      listening ??= queue.listen(endsChannel(queue.schema), hear).catch(() => async () => {});
      return new Promise((resolve) => {
        const all = waiting.get(runId) ?? new Set();
        waiting.set(runId, all);
        const wake = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", wake);
          all.delete(wake);
          if (all.size === 0 && waiting.get(runId) === all) waiting.delete(runId);
          resolve();
        };
        const timer = setTimeout(wake, withinMs);
        all.add(wake);
        if (signal?.aborted === true) wake();
        else signal?.addEventListener("abort", wake, { once: true });
      });
    },
    close: async () => {
      hear(undefined);
      await (await listening)?.();
    },
  };
};
