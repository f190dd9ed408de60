import * as Context from "effect/Context";
import type { SharedStore } from "../../ledger/beside/shared-store.ts";
import { type PoolJob, type PoolResult, poolJobs } from "./pool-jobs.ts";

/** What came of a call that was sent to a pool. */
export type PoolAnswer =
  | { readonly kind: "answered"; readonly result: PoolResult; readonly worker: string }
  /** The process that had it died: it may have run, and nobody can say. */
  | { readonly kind: "lost"; readonly worker: string }
  /** Nobody had begun with it when its caller gave up. */
  | { readonly kind: "withdrawn" }
  /** The database in which callers and pools meet could not be reached, so nothing was sent. */
  | { readonly kind: "unreached"; readonly why: string };

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

  /** What came of a job by now; nothing while it goes on. */
  const lookAt = async (pool: string, id: string, mayRepeat: boolean, isOver: boolean) => {
    const now = await jobs.read(id);
    const worker = now?.worker ?? "";
    const lost: PoolAnswer = { kind: "lost", worker };
    if (now === undefined) return lost;
    if (now.result !== undefined) {
      await jobs.drop(id);
      return { kind: "answered", result: now.result, worker } satisfies PoolAnswer;
    }
    if (isOver) {
      if (await jobs.withdraw(id)) return { kind: "withdrawn" } satisfies PoolAnswer;
      await jobs.stop(id);
      return lost;
    }
    if (now.state !== "running" || !(await store.isGone(worker))) return undefined;
    // What it said before it went counts: then the next look finds it.
    if ((await jobs.read(id))?.result !== undefined) return undefined;
    if (mayRepeat) {
      await jobs.putBack(id, pool, worker);
      return undefined;
    }
    await jobs.drop(id);
    return lost;
  };

  return {
    call: async (pool, job, signal) => {
      const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => abort(), { once: true });
      if (signal.aborted) abort();
      let id: string;
      try {
        id = await jobs.send(pool, job);
      } catch {
        // A connection that broke on the way may have brought it there all the same.
        return { kind: "lost", worker: "" };
      }
      for (;;) {
        const word = nextWord(store, id);
        const isOver = signal.aborted;
        try {
          const answer = await lookAt(pool, id, job.mayRepeat, isOver);
          if (answer !== undefined) return answer;
          await Promise.race([word.heard, aborted]);
        } catch {
          // A database that is away for a while is looked into again, as long as the call has time.
          if (isOver) return { kind: "lost", worker: "" };
          await Promise.race([word.timeout, aborted]);
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
  const { promise: timeout, resolve: ring } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    ring();
    resolve();
  }, lookMs);
  return {
    heard,
    timeout,
    stop: () => {
      stop();
      clearTimeout(timer);
    },
  };
};
