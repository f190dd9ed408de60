import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { openSharedStore } from "../ledger/beside/shared-store.ts";
import type { Shared } from "../runtime/shared.ts";
import type { FleetOverview, WorkerHealth } from "../words/fleet.ts";
import type { AnyTool } from "../words/tool.ts";
import { type Connection, connect } from "./connect.ts";
import { indexFreeRuns } from "./find-lost-runs.ts";
import { fleetOf } from "./fleet.ts";
import { type Going, goOn, LedgerAway } from "./go-on.ts";
import { type RunJob, wakesChannel } from "./jobs.ts";
import { lookAt } from "./look-at.ts";
import { type ServingPools, servePools } from "./pool/serve-pools.ts";
import { remoteKind } from "./remote.ts";
import { submitDue } from "./submit-due.ts";
import { sweep } from "./sweep.ts";
import { type ReadWorkerOptions, readWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** Takes runs of the fleet until it is drained. */
export interface Worker extends AsyncDisposable {
  /** Takes no more runs, lets those under way go on for `graceMs`, and leaves the rest to others at once. */
  readonly drain: () => Promise<void>;
  /** The same without waiting. */
  readonly close: () => Promise<void>;
  /** Resolves once it takes no more runs and has let go of all, with why where it did so by itself. */
  readonly closed: Promise<string | undefined>;
  readonly health: () => WorkerHealth;
  /** The whole fleet, as the database has it. */
  readonly look: () => Promise<FleetOverview>;
}

const readyMs = 30_000;
const idleMs = 1_000;
const beatMs = 5_000;
const gatherMs = 20;

/** Opens a worker on a runtime of a fleet. Whoever opened the runtime closes it. */
export const openWorker = async (haft: object, given: WorkerOptions): Promise<Worker> => {
  const options = readWorkerOptions(given);
  const { shared, options: fleet } = fleetOf(haft);
  const connection = await connect(shared, fleet, true);
  const pools = await openPools(shared, options, fleet.url ?? shared.ledgerUrl).catch(
    async (error: unknown) => {
      await connection.close();
      throw error;
    },
  );
  const worker = new OpenWorker({ connection, options, agents: await shared.agents() }, pools);
  await worker.start();
  return {
    drain: () => worker.drain(options.graceMs),
    close: () => worker.drain(0),
    closed: worker.closed,
    health: () => worker.health(),
    look: () => lookAt(connection.queue),
    [Symbol.asyncDispose]: () => worker.drain(options.graceMs),
  };
};

/** Nothing where the worker only takes runs. */
const openPools = async (
  shared: Shared,
  { pools, poolConcurrency: concurrency }: ReadWorkerOptions,
  url: string | undefined,
): Promise<ServingPools | undefined> => {
  if (pools.length === 0 || url === undefined) return undefined;
  const tools = (): readonly AnyTool[] =>
    shared.registry.ordered().flatMap(({ tool }) => (tool.implementation._tag === remoteKind ? [] : [tool]));
  return servePools({ shared, store: await openSharedStore({ url }), pools, tools, concurrency });
};

class OpenWorker {
  readonly #id = randomUUID();
  readonly #going: Going;
  readonly #connection: Connection;
  readonly #options: ReadWorkerOptions;
  readonly #pools: ServingPools | undefined;
  readonly #running = new Map<string, Promise<void>>();
  readonly #counts = { taken: 0, ended: 0 };
  #state: WorkerHealth["state"] = "working";
  #answeredAt = performance.now();
  #trouble: string | undefined;
  #mayBeMore = false;
  #wake: () => void = () => {};
  #stopListening: () => Promise<void> = async () => {};
  #loops: readonly Promise<void>[] = [];
  #drained: Promise<void> | undefined;
  #leaves: string | undefined;
  #tellClosed: (why: string | undefined) => void = () => {};
  readonly closed = new Promise<string | undefined>((resolve) => {
    this.#tellClosed = resolve;
  });
  readonly #stopping = new AbortController();

  constructor(going: Going, pools: ServingPools | undefined) {
    this.#pools = pools;
    this.#going = going;
    this.#connection = going.connection;
    this.#options = going.options;
  }

  async start(): Promise<void> {
    const { queue } = this.#connection;
    const wake = (): void => this.#wake();
    this.#stopListening = await queue.listen(wakesChannel(queue.schema), wake).catch(() => async () => {});
    await indexFreeRuns(queue);
    await this.#beat();
    this.#loops = [
      this.#takeRuns(),
      this.#repeat(this.#options.sweepMs, async () => {
        await sweep(this.#connection);
        await submitDue(this.#going);
      }),
      this.#repeat(beatMs, () => this.#beat()),
    ];
  }

  health(): WorkerHealth {
    const isReady = this.#state === "working" && performance.now() - this.#answeredAt < readyMs;
    return {
      id: this.#id,
      state: this.#state,
      isReady,
      running: this.#running.size,
      ...this.#counts,
      ...(this.#trouble === undefined ? {} : { trouble: this.#trouble }),
    };
  }

  drain(graceMs: number): Promise<void> {
    this.#drained ??= this.#finish(graceMs);
    return this.#drained;
  }

  async #finish(graceMs: number): Promise<void> {
    this.#state = "draining";
    this.#stopping.abort();
    this.#wake();
    await this.#loops[0];
    const until = performance.now() + graceMs;
    await within(graceMs, this.#running.values());
    await this.#closePools(Math.max(0, until - performance.now()));
    const left = [...this.#running.keys()];
    if (left.length > 0 || this.#leaves !== undefined) await this.#leave(left);
    await Promise.all(this.#loops);
    await this.#stopListening().catch(this.#note);
    await this.#connection.queue
      .sql(`DELETE FROM ${this.#connection.queue.schema}.haft_workers WHERE id = $1`, [this.#id])
      .catch(this.#note);
    await this.#connection.close();
    this.#state = "closed";
    this.#tellClosed(this.#leaves);
  }

  /** After the runs, of which one may wait for a call that only this process can run. */
  async #closePools(graceMs: number): Promise<void> {
    if (this.#pools === undefined) return;
    await within(graceMs, [this.#pools.stop()]);
    await this.#pools.close().catch(this.#note);
  }

  /** The ledger lets go of what it holds: a call whose code runs is `unknown`, and what it does later is refused. */
  async #leave(left: readonly string[]): Promise<void> {
    const { shared, jobs } = this.#connection;
    await shared.ledger.end?.().catch(this.#note);
    await Promise.all(left.map((runId) => jobs.wake(runId).catch(this.#note)));
  }

  async #takeRuns(): Promise<void> {
    const { jobs } = this.#connection;
    const { concurrency, batchSize, agents } = this.#options;
    while (this.#state === "working") {
      const woken = this.#pause(idleMs);
      const free = agents.size === 0 ? 0 : concurrency - this.#running.size;
      const wanted = Math.min(batchSize, free);
      let found: readonly RunJob[] = [];
      try {
        if (wanted > 0) found = await jobs.take(wanted);
        this.#answeredAt = performance.now();
        this.#trouble = undefined;
      } catch (error) {
        this.#note(error);
      }
      for (const job of found) this.#begin(job);
      // Where as many came as were asked for there may be more, as soon as there is room.
      this.#mayBeMore = found.length === wanted;
      const hasRoom = this.#running.size < concurrency;
      if (found.length === 0 || !this.#mayBeMore || !hasRoom) await woken;
      // Whoever is at work lets some gather: every look costs the server as much as a job.
      if (!this.#mayBeMore && this.#running.size > 0) await pauseUntil(gatherMs, this.#stopping.signal);
    }
  }

  #begin(job: RunJob): void {
    this.#counts.taken += 1;
    const done = goOn(this.#going, job)
      .then((came) => {
        if (came === "ended" || came === "parked") this.#counts.ended += 1;
      })
      .catch((error: unknown) => {
        this.#note(error);
        if (!(error instanceof LedgerAway)) return;
        this.#leaves ??= error.message;
        void this.drain(this.#options.graceMs);
      })
      .finally(() => {
        this.#running.delete(job.runId);
        if (this.#mayBeMore) this.#wake();
      });
    this.#running.set(job.runId, done);
  }

  async #beat(): Promise<void> {
    const { queue, jobs } = this.#connection;
    await jobs.touch([...this.#running.keys()]);
    const { taken, ended } = this.#counts;
    await queue.sql(
      `INSERT INTO ${queue.schema}.haft_workers AS w (id, host, pid, agents, concurrency, state, running, taken, ended, rate)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, running = excluded.running, taken = excluded.taken,
         rate = (excluded.ended - w.ended) / greatest(0.001, extract(epoch FROM now() - w.seen_at)),
         ended = excluded.ended, seen_at = now()`,
      [
        this.#id,
        hostname(),
        process.pid,
        JSON.stringify([...this.#options.agents.keys()]),
        this.#options.concurrency,
        this.#state,
        this.#running.size,
        taken,
        ended,
      ],
    );
    await queue.sql(`DELETE FROM ${queue.schema}.haft_workers WHERE seen_at < now() - interval '10 minutes'`);
  }

  /** Again and again, a little earlier or later each time, so that workers do not all ask at once. */
  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pauseUntil(everyMs * (0.75 + Math.random() / 2), signal);
      if (!signal.aborted) await work().catch(this.#note);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  readonly #note = (error: unknown): void => {
    this.#trouble = error instanceof Error ? error.message : String(error);
    this.#options.onTrouble(error);
  };
}

const pauseUntil = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over, { once: true });
  });

const within = async (ms: number, all: Iterable<Promise<void>>): Promise<void> => {
  const pending = [...all];
  if (pending.length === 0 || ms === 0) return;
  const giveUp = new AbortController();
  await Promise.race([Promise.all(pending), pauseUntil(ms, giveUp.signal)]);
  giveUp.abort();
};
