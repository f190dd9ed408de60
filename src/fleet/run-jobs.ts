import { createBatcher } from "../ledger/create-batcher.ts";
import type { RunPriority } from "../types/fleet.ts";
import {
  frontPriority,
  reserveStartTimes,
  sharesTableSql,
  type TenantFlow,
  tenantFlowOf,
  toJobPriority,
} from "./fair-queueing.ts";
import type { Queue } from "./open-queue.ts";
import { queueJobIdOf, runIdOfQueueJob } from "./run-id.ts";

/** What a job says of its run. Nothing here is believed: who the run is, and what it may, the ledger says. */
export interface JobData {
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
  readonly note: JobData;
}

/** A run that no worker goes on with any more, and why. */
export interface DeadLetter {
  readonly runId: string;
  readonly reason: string;
  readonly at: number;
}

export interface NewJob {
  readonly runId: string;
  readonly tenant: string | undefined;
  readonly priority: RunPriority;
  /** In milliseconds since 1970. */
  readonly notBefore?: number | undefined;
}

export interface RunJobs {
  readonly queue: Queue;
  /** Wakes a run that was never woken before. */
  readonly send: (sending: NewJob) => Promise<void>;
  /** Wakes runs again, ahead of those that wait, whatever became of their jobs. */
  readonly wake: (runId: string, note?: JobData, notBefore?: number) => Promise<void>;
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
export const deadLetterQueue = "runs-dead";
export const ticksQueue = "runs-due";

/** On which the ids of runs are told whose jobs are over, and of those that wait. */
export const endsChannel = (schema: string): string => `${schema}_ends`;
export const wakesChannel = (schema: string): string => `${schema}_wakes`;

export interface RunJobsOptions {
  /** Shares of tenants that have another than one. */
  readonly shares: Readonly<Record<string, number>>;
}

const maxBatchSize = 200;
/** A notice has less than 8,000 bytes. */
const maxNotifiedRuns = 100;
/** pg-boss gives a job to another worker if it was not touched for so long. */
export const heartbeatSeconds = 30;

/** Makes the queues and the tables beside them, where there are none. */
export const openRunJobs = async (queue: Queue, { shares }: RunJobsOptions): Promise<RunJobs> => {
  const { boss, schema, sql } = queue;
  await prepareQueues(queue);
  const share = (tenant: string | undefined): number => (tenant === undefined ? 1 : (shares[tenant] ?? 1));
  const notify = (channel: string, text: string) => sql("SELECT pg_notify($1, $2)", [channel, text]);
  const wakeWorkers = () => notify(wakesChannel(schema), "");
  const notifyEnds = async (runIds: readonly string[]): Promise<void> => {
    for (let from = 0; from < runIds.length; from += maxNotifiedRuns) {
      await notify(endsChannel(schema), runIds.slice(from, from + maxNotifiedRuns).join(" "));
    }
  };

  const send = createBatcher<NewJob, void>(maxBatchSize, async (all) => {
    const flows = all.map(({ tenant, priority }) => tenantFlowOf(tenant, priority, share(tenant)));
    const starts = new Map(await reserveStartTimes(queue, countFlows(flows)));
    const jobs = all.map(({ runId, tenant, priority, notBefore }, index) => {
      const { name, step } = flows[index]!;
      const start = starts.get(name)!;
      starts.set(name, start + step);
      const due = { ...(tenant === undefined ? {} : { tenant: JSON.stringify(tenant) }), priority };
      return {
        id: queueJobIdOf(runId),
        priority: toJobPriority(start),
        ...(notBefore === undefined ? {} : { data: { due }, startAfter: new Date(notBefore) }),
      };
    });
    await boss.insert(runsQueue, distinctById(jobs));
    await wakeWorkers();
    return all.map(() => undefined);
  });

  interface Waking {
    readonly runId: string;
    readonly note: JobData;
    readonly notBefore: number | undefined;
  }
  const wake = createBatcher<Waking, void>(maxBatchSize, async (all) => {
    const priority = await frontPriority(queue);
    await boss.deleteJob(runsQueue, [...new Set(all.map(({ runId }) => queueJobIdOf(runId)))]);
    await boss.insert(
      runsQueue,
      distinctById(
        all.map(({ runId, note, notBefore }) => ({
          id: queueJobIdOf(runId),
          priority,
          data: note,
          ...(notBefore === undefined ? {} : { startAfter: new Date(notBefore) }),
        })),
      ),
    );
    await wakeWorkers();
    return all.map(() => undefined);
  });

  const drop = createBatcher<string, void>(maxBatchSize, async (runIds) => {
    await boss.deleteJob(runsQueue, [...new Set(runIds.map(queueJobIdOf))]);
    await notifyEnds(runIds);
    return runIds.map(() => undefined);
  });

  const finish = createBatcher<string, void>(maxBatchSize, async (runIds) => {
    const ids = [...new Set(runIds.map(queueJobIdOf))];
    await sql(`DELETE FROM ${schema}.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state >= 'active'`, [
      runsQueue,
      ids,
    ]);
    await notifyEnds(runIds);
    return runIds.map(() => undefined);
  });

  return {
    queue,
    send,
    drop,
    finish,
    wake: (runId, note = {}, notBefore = undefined) => wake({ runId, note, notBefore }),
    take: async (batchSize) => {
      const found = await boss.fetch<JobData>(runsQueue, { batchSize, includeMetadata: true });
      return found.map(({ id, data, retryCount }) => {
        const note = data ?? {};
        return { runId: runIdOfQueueJob(id), note: { ...note, lost: (note.lost ?? 0) + retryCount } };
      });
    },
    touch: async (runIds) => {
      if (runIds.length > 0) await boss.touch(runsQueue, runIds.map(queueJobIdOf));
    },
    bury: async ({ runId, ...letter }) => {
      await boss.deleteJob(deadLetterQueue, queueJobIdOf(runId));
      await boss.insert(deadLetterQueue, [{ id: queueJobIdOf(runId), data: letter }]);
    },
    unbury: async (runId) => {
      await boss.deleteJob(deadLetterQueue, queueJobIdOf(runId));
    },
  };
};

const yearSeconds = 365 * 24 * 3600;

const prepareQueues = async ({ boss, sql, schema }: Queue): Promise<void> => {
  await boss.createQueue(deadLetterQueue, { retentionSeconds: yearSeconds });
  await boss.createQueue(runsQueue, {
    // How often a worker may be lost over a run is counted by the worker that takes it next.
    retryLimit: 1_000,
    retryDelay: 0,
    expireInSeconds: 24 * 3600 - 1,
    retentionSeconds: yearSeconds,
    heartbeatSeconds,
  });
  // A worker without the agent gives it back, and there may be many of them for one that has it.
  await boss.createQueue(ticksQueue, { retryLimit: 1_000, retryDelay: 2, expireInSeconds: 60 });
  // One transaction: two processes that make the same table at once would trip over each other.
  await sql(
    `BEGIN; SELECT pg_advisory_xact_lock(hashtext('${schema} tables')); ${sharesTableSql(schema)}; ${workersTable(schema)}; COMMIT`,
  );
};

const workersTable = (schema: string): string =>
  `CREATE TABLE IF NOT EXISTS ${schema}.haft_workers (id TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL,
     agents TEXT NOT NULL, concurrency INTEGER NOT NULL, state TEXT NOT NULL, running INTEGER NOT NULL, taken BIGINT NOT NULL,
     ended BIGINT NOT NULL, rate DOUBLE PRECISION NOT NULL, started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
     seen_at TIMESTAMPTZ NOT NULL DEFAULT now())`;

const countFlows = (flows: readonly TenantFlow[]): readonly (TenantFlow & { readonly count: number })[] =>
  [...Map.groupBy(flows, ({ name }) => name).values()].map((same) => ({ ...same[0]!, count: same.length }));

/** Of one id pg-boss takes one job. */
const distinctById = <Job extends { readonly id: string }>(jobs: readonly Job[]): Job[] => [
  ...new Map(jobs.map((job) => [job.id, job])).values(),
];
