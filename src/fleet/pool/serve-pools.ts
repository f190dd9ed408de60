import { openMail } from "../../ledger/beside/mail.ts";
import type { SharedStore } from "../../ledger/beside/shared-store.ts";
import type { Shared } from "../../runtime/shared.ts";
import type { AnyTool } from "../../words/tool.ts";
import { type BeginQuestion, poolMail } from "./call-pools.ts";
import { ClaimLoop } from "./claim-loop.ts";
import { type ClaimedJob, poolJobs } from "./pool-jobs.ts";
import { type PoolSite, runJob } from "./run-job.ts";

/** What a process serves pools with. */
export interface PoolSettings {
  readonly shared: Shared;
  /** Its own from now on. */
  readonly store: SharedStore;
  readonly pools: readonly string[];
  /** The tools whose code is here, as they are when a call comes. */
  readonly tools: () => readonly AnyTool[];
  /** Calls of each pool at once. */
  readonly concurrency: number;
}

/** A process that serves pools. */
export interface ServingPools {
  /** Takes no more calls; resolves once those that run are over. */
  readonly stop: () => Promise<void>;
  /** Leaves the others. A call that still runs is lost for its caller, and another process may repeat it if that is safe. */
  readonly close: () => Promise<void>;
}

type PoolJobs = Awaited<ReturnType<typeof poolJobs>>;

/** Words may be lost, so the table is looked into all the same. */
const lookMs = 1_000;

/** Runs the calls of some pools until it is stopped. */
export const servePools = async (settings: PoolSettings): Promise<ServingPools> => {
  const { store, pools } = settings;
  const { jobs, mail } = await join(store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const mayBegin: PoolSite["mayBegin"] = async (caller, id) => {
    const told = await mail.ask(caller, { begin: id } satisfies BeginQuestion);
    return told.kind === "answered" && told.answer === true;
  };
  const served = pools.map((pool) => new ServedPool(pool, settings, jobs, mayBegin));
  const lookAtAll = async (): Promise<void> => {
    await Promise.all(served.map((each) => each.look()));
  };
  const deaf = store.hear((word) => {
    if (word === "") void lookAtAll();
    for (const each of served) each.hear(word);
  });
  const timer = setInterval(() => void lookAtAll(), lookMs);
  await lookAtAll();
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(served.map((each) => each.stop()));
    },
    close: async () => {
      clearInterval(timer);
      deaf();
      mail.close();
      await store.close();
    },
  };
};

const join = async (store: SharedStore) => ({
  jobs: await poolJobs(store),
  // Nobody asks a process of a pool anything.
  mail: await openMail(store, { purpose: poolMail, answer: async () => false }),
});

class ServedPool {
  readonly #pool: string;
  readonly #settings: PoolSettings;
  readonly #jobs: PoolJobs;
  readonly #mayBegin: PoolSite["mayBegin"];
  readonly #stops = new Set<{ readonly id: string; readonly controller: AbortController }>();
  readonly #loop: ClaimLoop<ClaimedJob>;

  constructor(pool: string, settings: PoolSettings, jobs: PoolJobs, mayBegin: PoolSite["mayBegin"]) {
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
      for (const stop of this.#stops)
        if (stop.id === id) stop.controller.abort(new Error("Its caller gave up."));
    }
  }

  look(): Promise<void> {
    return this.#loop.look();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #run(claimed: ClaimedJob): Promise<void> {
    const stop = { id: claimed.id, controller: new AbortController() };
    this.#stops.add(stop);
    try {
      const { shared, tools } = this.#settings;
      const { signal } = stop.controller;
      const result = await runJob({ shared, tools: tools(), signal, mayBegin: this.#mayBegin }, claimed);
      // A result that cannot be written is as good as none: the caller sees when this process is gone.
      await this.#jobs.finish(claimed.id, result).catch(() => {});
    } finally {
      this.#stops.delete(stop);
    }
  }
}
