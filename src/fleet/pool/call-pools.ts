import { randomUUID } from "node:crypto";
import * as Context from "effect/Context";
import { openRpcChannel } from "../../ledger/postgres-messaging/rpc.ts";
import type { SharedStore } from "../../ledger/postgres-messaging/shared-store.ts";
import { openPoolJobs, type PoolJob, type PoolResult } from "./pool-jobs.ts";

/** What came of a call that was sent to a pool. */
export type PoolCallResult =
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
  readonly call: (pool: string, job: PoolJob, signal: AbortSignal) => Promise<PoolCallResult>;
}

/** Nobody's by default: a tool that is elsewhere is then not bound. */
export const CallPools: Context.Reference<CallPoolsStore | undefined> = Context.Reference<
  CallPoolsStore | undefined
>("haft/CallPools", { defaultValue: () => undefined });

/** Words may be lost, and processes die without one. */
const callPollMs = 500;

/** What processes of pools and callers ask each other is of this purpose. */
export const poolRpcPurpose = "pool";

/** A process of a pool asks its caller before it begins. */
export interface BeginRequest {
  readonly begin: string;
}

/** A call that somebody here waits for. */
interface AwaitedPoolCall {
  readonly mayRepeat: boolean;
  /** The process that was let begin with it. No other is, unless that one is gone and the call may be repeated. */
  worker?: string | undefined;
}

/** The caller's side over one store. */
export interface OpenCallPools extends CallPoolsStore {
  /** Hears no process of a pool any more. */
  readonly close: () => void;
}

export const openCallPools = async (store: SharedStore): Promise<OpenCallPools> => {
  const jobs = await openPoolJobs(store);
  const calls = new Map<string, AwaitedPoolCall>();
  // The table says who is to begin, and whoever can write SQL could say so again: this word is given once.
  const rpc = await openRpcChannel(store, {
    purpose: poolRpcPurpose,
    answer: async (question, from) => {
      const call = calls.get((question as BeginRequest).begin);
      if (call === undefined || call.worker !== undefined) return false;
      call.worker = from;
      return true;
    },
  });

  /** What came of a job by now; nothing while it goes on. */
  const checkJob = async (pool: string, id: string, call: AwaitedPoolCall, isOver: boolean) => {
    const now = await jobs.read(id);
    const worker = now?.worker ?? "";
    const lost: PoolCallResult = { kind: "lost", worker };
    if (now === undefined) return abandonedResult(call);
    // Once somebody was let begin, nobody's refusal counts: code may be running.
    const isRefusalTooLate = now.result?.kind === "refused" && call.worker !== undefined;
    if (now.result !== undefined && !isRefusalTooLate) {
      await jobs.drop(id);
      return { kind: "answered", result: now.result, worker } satisfies PoolCallResult;
    }
    if (isOver) {
      // Nobody is let begin from here on.
      calls.delete(id);
      if ((await jobs.withdraw(id)) || call.worker === undefined) return withdrawnResult;
      await jobs.stop(id);
      return lost;
    }
    if (now.state !== "running" || !(await store.isGone(worker))) return undefined;
    // What it said before it went counts: then the next look finds it.
    if ((await jobs.read(id))?.result !== undefined) return undefined;
    if (call.mayRepeat || call.worker === undefined) {
      call.worker = undefined;
      await jobs.putBack(id, pool, worker);
      return undefined;
    }
    await jobs.drop(id);
    return lost;
  };

  const untilAnswered = async (pool: string, id: string, call: AwaitedPoolCall, signal: AbortSignal) => {
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => abort(), { once: true });
    if (signal.aborted) abort();
    for (;;) {
      const word = nextNotification(store, id);
      const isOver = signal.aborted;
      try {
        const answer = await checkJob(pool, id, call, isOver);
        if (answer !== undefined) return answer;
        await Promise.race([word.heard, aborted]);
      } catch {
        // A database that is away for a while is looked into again, as long as the call has time.
        if (isOver) return abandonedResult(call);
        await Promise.race([word.timeout, aborted]);
      } finally {
        word.stop();
      }
    }
  };

  return {
    call: async (pool, job, signal) => {
      const id = randomUUID();
      const call: AwaitedPoolCall = { mayRepeat: job.mayRepeat };
      calls.set(id, call);
      try {
        await jobs.send(id, pool, job);
        return await untilAnswered(pool, id, call, signal);
      } catch {
        // A connection that broke on the way may have brought it there all the same.
        return abandonedResult(call);
      } finally {
        calls.delete(id);
      }
    },
    close: rpc.close,
  };
};

const withdrawnResult: PoolCallResult = { kind: "withdrawn" };

/** Nobody is asked any more: it has not run unless somebody was let begin with it. */
const abandonedResult = ({ worker }: AwaitedPoolCall): PoolCallResult =>
  worker === undefined ? withdrawnResult : { kind: "lost", worker };

/** Something may have become of a job, or it is time to look. */
const nextNotification = (store: SharedStore, id: string) => {
  const { promise: notified, resolve } = Promise.withResolvers<void>();
  const stop = store.hear((word) => {
    if (word === "" || word === `job ${id}`) resolve();
  });
  const { promise: timeout, resolve: ring } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    ring();
    resolve();
  }, callPollMs);
  return {
    heard: notified,
    timeout,
    stop: () => {
      stop();
      clearTimeout(timer);
    },
  };
};
