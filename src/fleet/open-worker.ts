import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { FleetOverview, WorkerHealth } from "../types/fleet.ts";
import { connectFleet, type FleetConnection } from "./connect-fleet.ts";
import { resetShares } from "./fair-queueing.ts";
import { findLostRuns, indexFreeRuns } from "./find-lost-runs.ts";
import { fleetOf } from "./fleet.ts";
import { runOrThrow } from "./fleet-services.ts";
import { readFleetOverview } from "./read-fleet-overview.ts";
import { LedgerLostError, type RunJobContext, resumeRunJob } from "./resume-run-job.ts";
import { type RunJob, wakesChannel } from "./run-jobs.ts";
import { submitDueSchedules } from "./submit-due-schedules.ts";
import { type ParsedWorkerOptions, readWorkerOptions, type WorkerOptions } from "./worker-options.ts";

/** A worker that takes runs of the fleet until it is drained. */
export interface Worker extends AsyncDisposable {
  /** Stops taking runs, lets running ones continue for `graceMs`, and releases the rest to other workers. */
  readonly drain: () => Promise<void>;
  /** Drains without a grace period. */
  readonly close: () => Promise<void>;
  /** Resolves when the worker has released all runs, with the reason if it closed by itself. */
  readonly closed: Promise<string | undefined>;
  readonly health: () => WorkerHealth;
  /** Reads the state of the whole fleet from the database. */
  readonly look: () => Promise<FleetOverview>;
}

const readyTimeoutMs = 30_000;
const idlePollMs = 1_000;
const heartbeatMs = 5_000;
const batchDelayMs = 20;

/** Opens a worker on a fleet runtime. It does not close the runtime. */
export const openWorker = async (haft: object, given: WorkerOptions): Promise<Worker> => {
  const options = readWorkerOptions(given);
  const { shared, options: fleet } = fleetOf(haft);
  const connection = await connectFleet(shared, fleet, true);
  const worker = new RunWorker({ connection, options, agents: await shared.agents() });
  await worker.start();
  return {
    drain: () => worker.drain(options.graceMs),
    close: () => worker.drain(0),
    closed: worker.closed,
    health: () => worker.health(),
    look: () => readFleetOverview(connection.queue),
    [Symbol.asyncDispose]: () => worker.drain(options.graceMs),
  };
};

interface RunningJob {
  readonly runId: string;
  readonly done: Promise<void>;
}

class RunWorker {
  readonly #id = randomUUID();
  readonly #jobContext: RunJobContext;
  readonly #connection: FleetConnection;
  readonly #options: ParsedWorkerOptions;
  /** One entry per job: a run woken while it runs is taken twice. */
  readonly #running = new Set<RunningJob>();
  readonly #counts = { taken: 0, ended: 0 };
  #state: WorkerHealth["state"] = "working";
  #lastAnswerAt = performance.now();
  #lastError: string | undefined;
  #mayHaveMore = false;
  #wake: () => void = () => {};
  #stopListening: () => Promise<void> = async () => {};
  #loops: readonly Promise<void>[] = [];
  #draining: Promise<void> | undefined;
  #closeReason: string | undefined;
  #resolveClosed: (why: string | undefined) => void = () => {};
  readonly closed = new Promise<string | undefined>((resolve) => {
    this.#resolveClosed = resolve;
  });
  readonly #stopping = new AbortController();

  constructor(going: RunJobContext) {
    this.#jobContext = going;
    this.#connection = going.connection;
    this.#options = going.options;
  }

  async start(): Promise<void> {
    const { queue } = this.#connection;
    const wake = (): void => this.#wake();
    this.#stopListening = await queue.listen(wakesChannel(queue.schema), wake).catch(() => async () => {});
    await indexFreeRuns(queue);
    await this.#heartbeat();
    this.#loops = [
      this.#claimJobs(),
      this.#repeat(this.#options.sweepMs, async () => {
        await wakeLostRuns(this.#connection);
        await submitDueSchedules(this.#jobContext);
      }),
      this.#repeat(heartbeatMs, () => this.#heartbeat()),
    ];
  }

  health(): WorkerHealth {
    const isReady = this.#state === "working" && performance.now() - this.#lastAnswerAt < readyTimeoutMs;
    return {
      id: this.#id,
      state: this.#state,
      isReady,
      running: this.#running.size,
      ...this.#counts,
      ...(this.#lastError === undefined ? {} : { trouble: this.#lastError }),
    };
  }

  drain(graceMs: number): Promise<void> {
    this.#draining ??= this.#finish(graceMs);
    return this.#draining;
  }

  async #finish(graceMs: number): Promise<void> {
    this.#state = "draining";
    this.#stopping.abort();
    this.#wake();
    await this.#loops[0];
    await settleWithin(
      graceMs,
      Array.from(this.#running, ({ done }) => done),
    );
    const left = this.#runIds();
    if (left.length > 0 || this.#closeReason !== undefined) await this.#releaseRuns(left);
    await Promise.all(this.#loops);
    await this.#stopListening().catch(this.#recordError);
    await this.#connection.queue
      .sql(`DELETE FROM ${this.#connection.queue.schema}.haft_workers WHERE id = $1`, [this.#id])
      .catch(this.#recordError);
    await this.#connection.close();
    this.#state = "closed";
    this.#resolveClosed(this.#closeReason);
  }

  /**
   * Ending the ledger releases its claims: running calls become `unknown`, and their later writes are
   * refused.
   */
  async #releaseRuns(left: readonly string[]): Promise<void> {
    const { shared, jobs } = this.#connection;
    await shared.ledger.end?.().catch(this.#recordError);
    await Promise.all(left.map((runId) => jobs.wake(runId).catch(this.#recordError)));
  }

  async #claimJobs(): Promise<void> {
    const { jobs } = this.#connection;
    const { concurrency, batchSize } = this.#options;
    while (this.#state === "working") {
      const woken = this.#pause(idlePollMs);
      const wanted = Math.min(batchSize, concurrency - this.#running.size);
      let found: readonly RunJob[] = [];
      try {
        if (wanted > 0) found = await jobs.take(wanted);
        this.#lastAnswerAt = performance.now();
        this.#lastError = undefined;
      } catch (error) {
        this.#recordError(error);
      }
      for (const job of found) this.#startJob(job);
      this.#mayHaveMore = found.length === wanted;
      const hasRoom = this.#running.size < concurrency;
      if (found.length === 0 || !this.#mayHaveMore || !hasRoom) await woken;
      // While busy, lets jobs gather, because each fetch is expensive.
      if (!this.#mayHaveMore && this.#running.size > 0)
        await sleepUnlessAborted(batchDelayMs, this.#stopping.signal);
    }
  }

  #startJob(job: RunJob): void {
    this.#counts.taken += 1;
    const done: Promise<void> = resumeRunJob(this.#jobContext, job)
      .then((came) => {
        if (came === "ended" || came === "parked") this.#counts.ended += 1;
      })
      .catch((error: unknown) => {
        this.#recordError(error);
        if (!(error instanceof LedgerLostError)) return;
        this.#closeReason ??= error.message;
        void this.drain(this.#options.graceMs);
      })
      .finally(() => {
        this.#running.delete(running);
        if (this.#mayHaveMore) this.#wake();
      });
    const running: RunningJob = { runId: job.runId, done };
    this.#running.add(running);
  }

  #runIds(): readonly string[] {
    return [...new Set(Array.from(this.#running, ({ runId }) => runId))];
  }

  async #heartbeat(): Promise<void> {
    const { queue, jobs } = this.#connection;
    await jobs.touch(this.#runIds());
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

  /** With jitter, so that workers do not poll at the same time. */
  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleepUnlessAborted(everyMs * (0.75 + Math.random() / 2), signal);
      if (!signal.aborted) await work().catch(this.#recordError);
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

  readonly #recordError = (error: unknown): void => {
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#options.onTrouble(error);
  };
}

const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over, { once: true });
  });

const settleWithin = async (ms: number, all: Iterable<Promise<void>>): Promise<void> => {
  const pending = [...all];
  if (pending.length === 0 || ms === 0) return;
  const timeout = new AbortController();
  await Promise.race([Promise.all(pending), sleepUnlessAborted(ms, timeout.signal)]);
  timeout.abort();
};

const wakeLostRuns = async ({ shared, ledger, queue, jobs }: FleetConnection): Promise<number> => {
  // Listing runs releases those of dead processes.
  await runOrThrow(shared, ledger.runs.list({ status: "running", limit: 1 }));
  const lost = await findLostRuns(queue);
  await Promise.all(lost.map(({ runId, note }) => jobs.wake(runId, note)));
  await resetShares(queue);
  return lost.length;
};
