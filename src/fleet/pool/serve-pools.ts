import { openRpcChannel } from "../../ledger/postgres-messaging/rpc.ts";
import type { SharedStore } from "../../ledger/postgres-messaging/shared-store.ts";
import type { SharedRuntime } from "../../runtime/shared-runtime.ts";
import type { AnyTool } from "../../types/tool.ts";
import { type BeginRequest, poolRpcPurpose } from "./call-pools.ts";
import { ClaimLoop } from "./claim-loop.ts";
import { type ClaimedPoolJob, openPoolJobs } from "./pool-jobs.ts";
import { type PoolJobContext, runPoolJob } from "./run-pool-job.ts";

/** What a process serves pools with. */
export interface ServePoolsOptions {
  readonly shared: SharedRuntime;
  /** Its own from now on. */
  readonly store: SharedStore;
  readonly pools: readonly string[];
  /** The tools whose code is here, as they are when a call comes. */
  readonly tools: () => readonly AnyTool[];
  /** Calls of each pool at once. */
  readonly concurrency: number;
}

/** A process that serves pools. */
export interface PoolServer {
  /** Takes no more calls; resolves once those that run are over. */
  readonly stop: () => Promise<void>;
  /** Leaves the others. A call that still runs is lost for its caller, and another process may repeat it if that is safe. */
  readonly close: () => Promise<void>;
}

type PoolJobs = Awaited<ReturnType<typeof openPoolJobs>>;

/** Words may be lost, so the table is looked into all the same. */
const servePollMs = 1_000;

/** Runs the calls of some pools until it is stopped. */
export const servePools = async (options: ServePoolsOptions): Promise<PoolServer> => {
  const { store, pools } = options;
  const { jobs, mail: rpc } = await openPoolChannels(store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const mayBegin: PoolJobContext["mayBegin"] = async (caller, id) => {
    const told = await rpc.ask(caller, { begin: id } satisfies BeginRequest);
    return told.kind === "answered" && told.answer === true;
  };
  const workers = pools.map((pool) => new PoolWorker(pool, options, jobs, mayBegin));
  const pollAll = async (): Promise<void> => {
    await Promise.all(workers.map((each) => each.look()));
  };
  const stopListening = store.hear((word) => {
    if (word === "") void pollAll();
    for (const each of workers) each.hear(word);
  });
  const timer = setInterval(() => void pollAll(), servePollMs);
  await pollAll();
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(workers.map((each) => each.stop()));
    },
    close: async () => {
      clearInterval(timer);
      stopListening();
      rpc.close();
      await store.close();
    },
  };
};

const openPoolChannels = async (store: SharedStore) => ({
  jobs: await openPoolJobs(store),
  // Nobody asks a process of a pool anything.
  mail: await openRpcChannel(store, { purpose: poolRpcPurpose, answer: async () => false }),
});

class PoolWorker {
  readonly #pool: string;
  readonly #settings: ServePoolsOptions;
  readonly #jobs: PoolJobs;
  readonly #mayBegin: PoolJobContext["mayBegin"];
  readonly #abortControllers = new Set<{ readonly id: string; readonly controller: AbortController }>();
  readonly #loop: ClaimLoop<ClaimedPoolJob>;

  constructor(
    pool: string,
    settings: ServePoolsOptions,
    jobs: PoolJobs,
    mayBegin: PoolJobContext["mayBegin"],
  ) {
    this.#mayBegin = mayBegin;
    this.#pool = pool;
    this.#settings = settings;
    this.#jobs = jobs;
    this.#loop = new ClaimLoop({
      claim: () => jobs.claim(pool),
      run: (claimed) => this.#run(claimed),
      concurrency: settings.concurrency,
    });
  }

  hear(word: string): void {
    if (word === `pool ${this.#pool}`) void this.look();
    else if (word.startsWith("stop ")) {
      const id = word.slice("stop ".length);
      for (const stop of this.#abortControllers)
        if (stop.id === id) stop.controller.abort(new Error("Its caller gave up."));
    }
  }

  look(): Promise<void> {
    return this.#loop.look();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #run(claimed: ClaimedPoolJob): Promise<void> {
    const stop = { id: claimed.id, controller: new AbortController() };
    this.#abortControllers.add(stop);
    try {
      const { shared, tools } = this.#settings;
      const { signal } = stop.controller;
      const result = await runPoolJob({ shared, tools: tools(), signal, mayBegin: this.#mayBegin }, claimed);
      // A result that cannot be written is as good as none: the caller sees when this process is gone.
      await this.#jobs.finish(claimed.id, result).catch(() => {});
    } finally {
      this.#abortControllers.delete(stop);
    }
  }
}
