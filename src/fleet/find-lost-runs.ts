import type { Queue } from "./open-queue.ts";
import type { JobData } from "./run-jobs.ts";

export interface LostRun {
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
