import { inBatches } from "../ledger/in-batches.ts";
import type { RunPriority } from "../words/fleet.ts";
import type { Queue } from "./queue.ts";
import { jobIdOf, runIdOf } from "./run-id.ts";
import { type Flow, flowOf, frontPriority, sharesTable, takeTurns, toJobPriority } from "./shares.ts";

/** What a job says of its run. Nothing here is believed: who the run is, and what it may, the ledger says. */
export interface JobNote {
  /** How often a worker was lost over it. */
  readonly lost?: number;
  /** How often it was put back, and since when, because nobody could go on with it. */
  readonly passed?: number;
  readonly since?: number;
  /** It waits for a person, until the question expires. */
  readonly parked?: true;
  /** It waited for a time: whose turn it is, is decided when that has come. The tenant as JSON: it may be any text. */
  readonly due?: { readonly tenant?: string; readonly priority: RunPriority };
}

/** One wake of a run, as a worker took it. */
export interface RunJob {
  readonly runId: string;
  readonly note: JobNote;
}

/** A run that no worker goes on with any more, and why. */
export interface DeadLetter {
  readonly runId: string;
  readonly reason: string;
  readonly at: number;
}

export interface Sending {
  readonly runId: string;
  readonly tenant: string | undefined;
  readonly priority: RunPriority;
  /** In milliseconds since 1970. */
  readonly notBefore?: number | undefined;
}

export interface Jobs {
  readonly queue: Queue;
  /** Wakes a run that was never woken before. */
  readonly send: (sending: Sending) => Promise<void>;
  /** Wakes runs again, ahead of those that wait, whatever became of their jobs. */
  readonly wake: (runId: string, note?: JobNote, notBefore?: number) => Promise<void>;
  readonly take: (most: number) => Promise<readonly RunJob[]>;
  /** Its run needs no wake any more. Whoever waits for the run hears it. */
  readonly drop: (runId: string) => Promise<void>;
  /** The same for a job that was taken: a wake that came meanwhile stays. */
  readonly finish: (runId: string) => Promise<void>;
  /** Others may not take these jobs for lost. */
  readonly touch: (runIds: readonly string[]) => Promise<void>;
  readonly bury: (letter: DeadLetter) => Promise<void>;
  readonly unbury: (runId: string) => Promise<void>;
}

export const runsQueue = "runs";
export const deadQueue = "runs-dead";
export const ticksQueue = "runs-due";

/** On which the ids of runs are told whose jobs are over, and of those that wait. */
export const endsChannel = (schema: string): string => `${schema}_ends`;
export const wakesChannel = (schema: string): string => `${schema}_wakes`;

export interface JobsOptions {
  /** Shares of tenants that have another than one. */
  readonly shares: Readonly<Record<string, number>>;
}

const most = 200;
/** A notice has less than 8,000 bytes. */
const mostTold = 100;
/** pg-boss gives a job to another worker if it was not touched for so long. */
export const heartbeatSeconds = 30;

/** Makes the queues and the tables beside them, where there are none. */
export const openJobs = async (queue: Queue, { shares }: JobsOptions): Promise<Jobs> => {
  const { boss, schema, sql } = queue;
  await prepare(queue);
  const share = (tenant: string | undefined): number => (tenant === undefined ? 1 : (shares[tenant] ?? 1));
  const notify = (channel: string, text: string) => sql("SELECT pg_notify($1, $2)", [channel, text]);
  const wakeWorkers = () => notify(wakesChannel(schema), "");
  const tellEnds = async (runIds: readonly string[]): Promise<void> => {
    for (let from = 0; from < runIds.length; from += mostTold) {
      await notify(endsChannel(schema), runIds.slice(from, from + mostTold).join(" "));
    }
  };

  const send = inBatches<Sending, void>(most, async (all) => {
    const flows = all.map(({ tenant, priority }) => flowOf(tenant, priority, share(tenant)));
    const starts = new Map(await takeTurns(queue, counted(flows)));
    const jobs = all.map(({ runId, tenant, priority, notBefore }, index) => {
      const { name, step } = flows[index]!;
      const start = starts.get(name)!;
      starts.set(name, start + step);
      const due = { ...(tenant === undefined ? {} : { tenant: JSON.stringify(tenant) }), priority };
      return {
        id: jobIdOf(runId),
        priority: toJobPriority(start),
        ...(notBefore === undefined ? {} : { data: { due }, startAfter: new Date(notBefore) }),
      };
    });
    await boss.insert(runsQueue, distinct(jobs));
    await wakeWorkers();
    return all.map(() => undefined);
  });

  interface Waking {
    readonly runId: string;
    readonly note: JobNote;
    readonly notBefore: number | undefined;
  }
  const wake = inBatches<Waking, void>(most, async (all) => {
    const priority = await frontPriority(queue);
    await boss.deleteJob(runsQueue, [...new Set(all.map(({ runId }) => jobIdOf(runId)))]);
    await boss.insert(
      runsQueue,
      distinct(
        all.map(({ runId, note, notBefore }) => ({
          id: jobIdOf(runId),
          priority,
          data: note,
          ...(notBefore === undefined ? {} : { startAfter: new Date(notBefore) }),
        })),
      ),
    );
    await wakeWorkers();
    return all.map(() => undefined);
  });

  const drop = inBatches<string, void>(most, async (runIds) => {
    await boss.deleteJob(runsQueue, [...new Set(runIds.map(jobIdOf))]);
    await tellEnds(runIds);
    return runIds.map(() => undefined);
  });

  const finish = inBatches<string, void>(most, async (runIds) => {
    const ids = [...new Set(runIds.map(jobIdOf))];
    await sql(`DELETE FROM ${schema}.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state >= 'active'`, [
      runsQueue,
      ids,
    ]);
    await tellEnds(runIds);
    return runIds.map(() => undefined);
  });

  return {
    queue,
    send,
    drop,
    finish,
    wake: (runId, note = {}, notBefore = undefined) => wake({ runId, note, notBefore }),
    take: async (batchSize) => {
      const found = await boss.fetch<JobNote>(runsQueue, { batchSize, includeMetadata: true });
      return found.map(({ id, data, retryCount }) => {
        const note = data ?? {};
        return { runId: runIdOf(id), note: { ...note, lost: (note.lost ?? 0) + retryCount } };
      });
    },
    touch: async (runIds) => {
      if (runIds.length > 0) await boss.touch(runsQueue, runIds.map(jobIdOf));
    },
    bury: async ({ runId, ...letter }) => {
      await boss.deleteJob(deadQueue, jobIdOf(runId));
      await boss.insert(deadQueue, [{ id: jobIdOf(runId), data: letter }]);
    },
    unbury: async (runId) => {
      await boss.deleteJob(deadQueue, jobIdOf(runId));
    },
  };
};

const year = 365 * 24 * 3600;

const prepare = async ({ boss, sql, schema }: Queue): Promise<void> => {
  await boss.createQueue(deadQueue, { retentionSeconds: year });
  await boss.createQueue(runsQueue, {
    // How often a worker may be lost over a run is counted by the worker that takes it next.
    retryLimit: 1_000,
    retryDelay: 0,
    expireInSeconds: 24 * 3600 - 1,
    retentionSeconds: year,
    heartbeatSeconds,
  });
  // A worker without the agent gives it back, and there may be many of them for one that has it.
  await boss.createQueue(ticksQueue, { retryLimit: 1_000, retryDelay: 2, expireInSeconds: 60 });
  // One transaction: two processes that make the same table at once would trip over each other.
  await sql(
    `BEGIN; SELECT pg_advisory_xact_lock(hashtext('${schema} tables')); ${sharesTable(schema)}; ${workersTable(schema)}; COMMIT`,
  );
};

const workersTable = (schema: string): string =>
  `CREATE TABLE IF NOT EXISTS ${schema}.haft_workers (id TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL,
     agents TEXT NOT NULL, concurrency INTEGER NOT NULL, state TEXT NOT NULL, running INTEGER NOT NULL, taken BIGINT NOT NULL,
     ended BIGINT NOT NULL, rate DOUBLE PRECISION NOT NULL, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
     seen_at TIMESTAMPTZ NOT NULL DEFAULT now())`;

const counted = (flows: readonly Flow[]): readonly (Flow & { readonly count: number })[] =>
  [...Map.groupBy(flows, ({ name }) => name).values()].map((same) => ({ ...same[0]!, count: same.length }));

/** Of one id pg-boss takes one job. */
const distinct = <Job extends { readonly id: string }>(jobs: readonly Job[]): Job[] => [
  ...new Map(jobs.map((job) => [job.id, job])).values(),
];
