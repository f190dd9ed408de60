import { thrownMessage } from "../base/text/thrown-message.ts";
import type { RunPriority } from "../types/fleet.ts";
import { callerIdentityOf } from "../types/principal.ts";
import { runKindOf } from "../types/run-store.ts";
import { agentDefinition } from "./agent-definition.ts";
import { priorities } from "./fair-queueing.ts";
import { runOrThrow } from "./fleet-services.ts";
import type { Queue } from "./open-queue.ts";
import type { RunJobContext } from "./resume-run-job.ts";
import { dueRunId } from "./run-id.ts";
import { type JobData, ticksQueue } from "./run-jobs.ts";
import { beginFleetRun } from "./submit-run.ts";

/** Untrusted: principal and input come from the ledger. */
export interface ScheduleTick {
  readonly schedule: string;
  readonly priority: RunPriority;
}

const minuteMs = 60_000;

/** The minute is part of the run ID, so two workers create one run. */
export const submitDueSchedules = async (context: RunJobContext): Promise<void> => {
  const { boss } = context.connection.queue;
  if (context.options.agents.size === 0) return;
  const due = await boss.fetch<ScheduleTick>(ticksQueue, { batchSize: 50, includeMetadata: true });
  for (const { id, data, createdOn } of due) {
    const minute = Math.floor(createdOn.getTime() / minuteMs);
    const why = await submitScheduledRun(context, data, minute).catch((error: unknown) => {
      context.options.onTrouble(error);
      return thrownMessage(error);
    });
    if (why === undefined) await boss.deleteJob(ticksQueue, id);
    else await boss.fail(ticksQueue, id, { reason: why });
  }
};

/** Undefined when done, else why another worker should retry. */
const submitScheduledRun = async (
  { connection, options }: RunJobContext,
  tick: ScheduleTick,
  minute: number,
): Promise<string | undefined> => {
  const { shared, ledger, queue, jobs } = connection;
  const { schedule } = tick ?? {};
  if (typeof schedule !== "string" || runKindOf(schedule) !== "schedule") return undefined;
  const record = await runOrThrow(shared, ledger.runs.find(schedule));
  if (record?.principal === undefined || record.status !== "running") {
    await queue.boss.unschedule(ticksQueue, schedule);
    return undefined;
  }
  const agent = options.agents.get(record.agent);
  if (agent === undefined) return "This worker does not have the agent.";
  const runId = dueRunId(record.principal, schedule, minute);
  const { isNew } = await beginFleetRun(connection, {
    runId,
    agent: agent.name,
    principal: record.principal,
    messages: record.messages,
    queued: { ...record.queued, definition: agentDefinition(agent, shared.registry) },
    at: Date.now(),
  });
  const priority = priorities.includes(tick.priority) ? tick.priority : "normal";
  if (isNew) await jobs.send({ runId, tenant: callerIdentityOf(record.principal).tenant, priority });
  return undefined;
};

interface LostRun {
  readonly runId: string;
  readonly note: JobData;
}

/** Absolute, so that clock skew does not hide a run. Waking a run twice is harmless. */
const lostAfterSeconds = 3;
const maxLostRuns = 500;

/**
 * Submitted runs that are free in the ledger and that no waiting job will wake. Returns nothing while another
 * worker sweeps.
 */
export const findLostRuns = async ({ sql, schema }: Queue): Promise<readonly LostRun[]> => {
  const rows = await sql(
    `WITH me AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('${schema} sweep')) AS is_first)
     SELECT r.run_id, j.state, j.data, j.retry_count
     FROM haft_runs r LEFT JOIN ${schema}.job j ON j.name = 'runs' AND j.id =
       CASE WHEN r.run_id ~ '^job-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN substr(r.run_id, 5)::uuid END
     WHERE (SELECT is_first FROM me) AND r.run_id LIKE 'job-%' AND r.owner IS NULL
       AND r.status IN ('running', 'pending')
       AND abs(extract(epoch FROM now()) * 1000 - r.updated_at) > $1 * 1000
       AND (j.id IS NULL
         OR (j.state >= 'active' AND coalesce(j.heartbeat_on, j.started_on, j.created_on) < now() - $1 * interval '1 second'
             AND coalesce(j.started_on, j.created_on) < now() - $1 * interval '1 second')
         OR (j.state < 'active' AND j.data->>'parked' = 'true' AND j.start_after > now()))
       AND (r.status = 'running'
         OR EXISTS (SELECT 1 FROM haft_approvals a WHERE a.run_id = r.run_id AND a.status = 'answered')
         OR NOT EXISTS (SELECT 1 FROM haft_approvals a WHERE a.run_id = r.run_id AND a.status = 'waiting'))
     LIMIT ${maxLostRuns}`,
    [lostAfterSeconds],
  );
  return rows.map(({ run_id, state, data, retry_count }) => {
    const { lost = 0 } = (data ?? {}) as JobData;
    const isLost = state === "active";
    return { runId: String(run_id), note: isLost ? { lost: lost + Number(retry_count) + 1 } : {} };
  });
};

const freeRunsIndex = "haft_runs_free";

/** An optional index: a role without the privilege to create it works without it. */
export const indexFreeRuns = async ({ sql }: Queue): Promise<void> => {
  const [found] = await sql("SELECT to_regclass($1) IS NOT NULL AS is_there", [freeRunsIndex]);
  if (found?.is_there === true) return;
  await sql(
    `CREATE INDEX IF NOT EXISTS ${freeRunsIndex} ON haft_runs (run_id) WHERE owner IS NULL AND status IN ('running', 'pending')`,
  ).catch(() => {});
};
