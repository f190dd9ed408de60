import type { Queue } from "./open-queue.ts";
import { endsChannel } from "./run-jobs.ts";

export interface RunEndListener {
  /** Records notices of this run from now on. False if listening is impossible. */
  readonly expect: (runId: string) => Promise<boolean>;
  readonly isExpected: (runId: string) => boolean;
  /** `notified` on a notice, including one since `expect`; `late` after `withinMs` or on abort. */
  readonly next: (
    runId: string,
    withinMs: number,
    signal: AbortSignal | undefined,
  ) => Promise<"notified" | "late">;
  readonly close: () => Promise<void>;
}

const maxExpectedRuns = 10_000;

/** Polling covers missed notices. */
export const listenForRunEnds = (queue: Queue): RunEndListener => {
  const waiting = new Map<string, Set<() => void>>();
  const expected = new Map<string, { isHeard: boolean }>();
  let listening: Promise<(() => Promise<void>) | undefined> | undefined;
  const onRunEnd = (runId: string): void => {
    const wakes = waiting.get(runId);
    const expecting = expected.get(runId);
    if (wakes === undefined) {
      if (expecting !== undefined) expecting.isHeard = true;
      return;
    }
    expected.delete(runId);
    for (const wake of wakes) wake();
  };
  const onNotice = (payload: string | undefined): void => {
    // A reconnect may have missed notices.
    const runIds = payload === undefined ? [...waiting.keys(), ...expected.keys()] : payload.split(" ");
    for (const runId of runIds) onRunEnd(runId);
  };
  const listen = () => {
    listening ??= queue.listen(endsChannel(queue.schema), onNotice).catch(() => undefined);
    return listening;
  };
  return {
    expect: async (runId) => {
      if ((await listen()) === undefined) return false;
      expected.set(runId, { isHeard: false });
      const [oldest] = expected.keys();
      if (expected.size > maxExpectedRuns && oldest !== undefined) expected.delete(oldest);
      return true;
    },
    isExpected: (runId) => expected.has(runId),
    next: (runId, withinMs, signal) => {
      void listen();
      if (expected.get(runId)?.isHeard === true) {
        expected.delete(runId);
        return Promise.resolve("notified");
      }
      return new Promise((resolve) => {
        const all = waiting.get(runId) ?? new Set();
        waiting.set(runId, all);
        const stop = (how: "notified" | "late"): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", late);
          all.delete(wake);
          if (all.size === 0 && waiting.get(runId) === all) waiting.delete(runId);
          resolve(how);
        };
        const wake = (): void => stop("notified");
        const late = (): void => stop("late");
        const timer = setTimeout(late, withinMs);
        all.add(wake);
        if (signal?.aborted === true) late();
        else signal?.addEventListener("abort", late, { once: true });
      });
    },
    close: async () => {
      onNotice(undefined);
      await (await listening)?.();
    },
  };
};
