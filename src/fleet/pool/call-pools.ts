import * as Context from "effect/Context";
import type { SharedStore } from "../../ledger/beside/shared-store.ts";
import { type PoolJob, type PoolResult, poolJobs } from "./pool-jobs.ts";

/** What came of a call that was sent to a pool. */
export type PoolAnswer =
  | { readonly kind: "answered"; readonly result: PoolResult; readonly worker: string }
  /** The process that had it died: it may have run, and nobody can say. */
  | { readonly kind: "lost"; readonly worker: string }
  /** Nobody had begun with it when its caller gave up. */
  | { readonly kind: "withdrawn" };

/** The caller's side of pools. */
export interface CallPoolsStore {
  /** Waits for the answer of a process of the pool. Once the signal aborts, that process is told to stop. */
  readonly call: (pool: string, job: PoolJob, signal: AbortSignal) => Promise<PoolAnswer>;
}

/** Nobody's by default: a tool that is elsewhere is then not bound. */
export const CallPools: Context.Reference<CallPoolsStore | undefined> = Context.Reference<
  CallPoolsStore | undefined
>("haft/CallPools", { defaultValue: () => undefined });

/** Words may be lost, and processes die without one. */
const lookMs = 500;

export const openCallPools = async (store: SharedStore): Promise<CallPoolsStore> => {
  const jobs = await poolJobs(store);
  return {
    call: async (pool, job, signal) => {
      const id = await jobs.send(pool, job);
      const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => abort(), { once: true });
      if (signal.aborted) abort();
      for (;;) {
        const word = nextWord(store, id);
        try {
          const now = await jobs.read(id);
          const worker = now?.worker ?? "";
          if (now?.result !== undefined) {
            await jobs.drop(id);
            return { kind: "answered", result: now.result, worker };
          }
          if (now === undefined) return { kind: "lost", worker };
          if (signal.aborted) {
            if (await jobs.withdraw(id)) return { kind: "withdrawn" };
            await jobs.stop(id);
            return { kind: "lost", worker };
          }
          if (now.state === "running" && (await store.isGone(worker))) {
            // What it said before it went counts.
            const last = await jobs.read(id);
            if (last?.result !== undefined) continue;
            if (!job.mayRepeat) {
              await jobs.drop(id);
              return { kind: "lost", worker };
            }
            await jobs.putBack(id, pool, worker);
          }
          await Promise.race([word.heard, aborted]);
        } finally {
          word.stop();
        }
      }
    },
  };
};

/** Something may have become of a job, or it is time to look. */
const nextWord = (store: SharedStore, id: string) => {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  const stop = store.hear((word) => {
    if (word === "" || word === `job ${id}`) resolve();
  });
  const timer = setTimeout(resolve, lookMs);
  return {
    heard,
    stop: () => {
      stop();
      clearTimeout(timer);
    },
  };
};
