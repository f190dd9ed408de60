import { checkFields } from "../../json/check-fields.ts";
import { openSharedStore, type SharedStore } from "../../ledger/beside/shared-store.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedBy } from "../../runtime/shared.ts";
import { ConfigurationError } from "../../words/errors.ts";
import type { AnyTool } from "../../words/tool.ts";
import { isPostgresUrl } from "../queue.ts";
import { type ClaimedJob, poolJobs } from "./pool-jobs.ts";
import { runJob } from "./run-job.ts";

/** Which pool a process works for, and with which tools. */
export interface PoolOptions {
  readonly pool: string;
  /** The code of the pool's tools, with the specs that callers know. */
  readonly tools: readonly AnyTool[];
  /** Calls at once. Unless set: 4. */
  readonly concurrency?: number;
}

/** A process that works for a pool. */
export interface Pool {
  /** Of this process, as entries note it. */
  readonly name: string;
  /** Takes no more calls, and waits for those that run. */
  readonly close: () => Promise<void>;
}

/** Words may be lost, so the table is looked into all the same. */
const lookMs = 1_000;

/**
 * Runs calls of a pool in this process. `haft` has the ledger that callers write to and the policy that each call is held
 * against once more; the calls make no entries of their own.
 */
export const openPool = async (haft: Haft, options: PoolOptions): Promise<Pool> => {
  checkFields("openPool", options, ["pool", "tools", "concurrency"]);
  const { pool, tools, concurrency = 4 } = options;
  const shared = sharedBy.get(haft);
  const url = shared?.ledgerUrl;
  if (shared === undefined || !isPostgresUrl(url)) {
    throw new ConfigurationError(
      "invalid_config",
      'A pool works for callers whose ledger it has too: open the runtime with ledger: "postgres://…".',
    );
  }
  const store = await openSharedStore({ url });
  const jobs = await poolJobs(store).catch(async (error) => {
    await store.close();
    throw error;
  });
  const running = new Map<string, { readonly stop: AbortController; readonly over: Promise<void> }>();
  let isClosed = false;
  let isLooking = false;
  let again = false;

  const work = async (claimed: ClaimedJob, signal: AbortSignal): Promise<void> => {
    const result = await runJob({ shared, tools, signal, isGone: store.isGone }, claimed);
    // A result that cannot be written is as good as none: the caller sees when this process is gone.
    await jobs.finish(claimed.id, result).catch(() => {});
  };
  const look = async (): Promise<void> => {
    if (isLooking) {
      again = true;
      return;
    }
    isLooking = true;
    try {
      while (!isClosed && running.size < concurrency) {
        again = false;
        const claimed = await jobs.claim(pool);
        if (claimed === undefined) {
          if (again) continue;
          break;
        }
        const stop = new AbortController();
        const over = work(claimed, stop.signal).finally(() => {
          running.delete(claimed.id);
          void look();
        });
        running.set(claimed.id, { stop, over });
      }
    } catch {
      // A database that is away is looked for again by the clock.
    } finally {
      isLooking = false;
    }
  };
  const deaf = listen(store, pool, {
    look: () => void look(),
    stop: (id) => running.get(id)?.stop.abort(new Error("Its caller gave up.")),
  });
  const timer = setInterval(() => void look(), lookMs);
  await look();
  return {
    name: store.name,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      deaf();
      await Promise.all([...running.values()].map(({ over }) => over));
      await store.close();
    },
  };
};

interface PoolListener {
  readonly look: () => void;
  readonly stop: (id: string) => void;
}

const listen = (store: SharedStore, pool: string, { look, stop }: PoolListener): (() => void) =>
  store.hear((word) => {
    if (word === "" || word === `pool ${pool}`) look();
    else if (word.startsWith("stop ")) stop(word.slice("stop ".length));
  });
