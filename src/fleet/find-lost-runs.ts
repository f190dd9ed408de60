import type { Queue } from "./open-queue.ts";
import type { JobData } from "./run-jobs.ts";

/** A run that nobody goes on with and nobody will be woken for. */
export interface LostRun {
  readonly runId: string;
  readonly note: JobData;
}

/**
 * Begun, answered or taken so long ago, whoever was about to do the rest would have done it. A time that is so far ahead
 * is of a clock that is wrong, and says nothing; a run that is woken once too often is still claimed once.
 */
const lostAfterSeconds = 3;
const maxLostRuns = 500;

/**
 * Submitted runs that are free in the ledger and have no job that waits: the job was never sent, was deleted, or its
 * worker died over it; or a person has answered something. Nothing where another worker is looking.
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

/** So that a sweep does not read every run there ever was. A role that may not make it does without. */
export const indexFreeRuns = async ({ sql }: Queue): Promise<void> => {
  const [found] = await sql("SELECT to_regclass($1) IS NOT NULL AS is_there", [freeRunsIndex]);
  if (found?.is_there === true) return;
  await sql(
    `CREATE INDEX IF NOT EXISTS ${freeRunsIndex} ON haft_runs (run_id) WHERE owner IS NULL AND status IN ('running', 'pending')`,
  ).catch(() => {});
};
