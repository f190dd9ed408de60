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

/** Untrusted: the run's identity and rights come from the ledger. */
export interface JobData {
  /** How many workers were lost while they ran it. */
  readonly lost?: number;
  /** How often, and since when, no worker could run it. */
  readonly passed?: number;
  readonly since?: number;
  /** Waits for approval until the request expires. */
  readonly parked?: true;
  /** Delayed; enters the fair queue when due. The tenant is JSON, because it may be any text. */
  readonly due?: { readonly tenant?: string; readonly priority: RunPriority };
}

export interface RunJob {
  readonly runId: string;
  readonly data: JobData;
}

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
  readonly send: (sending: NewJob) => Promise<void>;
  /** Replaces the runs' jobs and puts them at the front. */
  readonly wake: (runId: string, note?: JobData, notBefore?: number) => Promise<void>;
  readonly take: (most: number) => Promise<readonly RunJob[]>;
  readonly drop: (runId: string) => Promise<void>;
  /** Deletes only the active job, so that a later wake stays. */
  readonly finish: (runId: string) => Promise<void>;
  readonly touch: (runIds: readonly string[]) => Promise<void>;
  readonly moveToDeadLetters: (letter: DeadLetter) => Promise<void>;
  readonly removeDeadLetter: (runId: string) => Promise<void>;
}

export const runsQueue = "runs";
export const deadLetterQueue = "runs-dead";
export const ticksQueue = "runs-due";

export const endsChannel = (schema: string): string => `${schema}_ends`;
export const wakesChannel = (schema: string): string => `${schema}_wakes`;

export interface RunJobsOptions {
  readonly shares: Readonly<Record<string, number>>;
}

const maxBatchSize = 200;
/** NOTIFY payloads are limited to 8,000 bytes. */
const maxNotifiedRuns = 100;
/** Jobs without a heartbeat for this time go to another worker. */
export const heartbeatSeconds = 30;

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
        return { runId: runIdOfQueueJob(id), data: { ...note, lost: (note.lost ?? 0) + retryCount } };
      });
    },
    touch: async (runIds) => {
      if (runIds.length > 0) await boss.touch(runsQueue, runIds.map(queueJobIdOf));
    },
    moveToDeadLetters: async ({ runId, ...letter }) => {
      await boss.deleteJob(deadLetterQueue, queueJobIdOf(runId));
      await boss.insert(deadLetterQueue, [{ id: queueJobIdOf(runId), data: letter }]);
    },
    removeDeadLetter: async (runId) => {
      await boss.deleteJob(deadLetterQueue, queueJobIdOf(runId));
    },
  };
};

const yearSeconds = 365 * 24 * 3600;

const prepareQueues = async ({ boss, sql, schema }: Queue): Promise<void> => {
  await boss.createQueue(deadLetterQueue, { retentionSeconds: yearSeconds });
  await boss.createQueue(runsQueue, {
    // Lost workers are counted by the next worker.
    retryLimit: 1_000,
    retryDelay: 0,
    expireInSeconds: 24 * 3600 - 1,
    retentionSeconds: yearSeconds,
    heartbeatSeconds,
  });
  // Workers without the agent return the tick.
  await boss.createQueue(ticksQueue, { retryLimit: 1_000, retryDelay: 2, expireInSeconds: 60 });
  // The lock prevents conflicts between concurrent processes.
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

const distinctById = <Job extends { readonly id: string }>(jobs: readonly Job[]): Job[] => [
  ...new Map(jobs.map((job) => [job.id, job])).values(),
];
