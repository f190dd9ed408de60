import type { FleetOverview, FleetWorker, InactiveRun } from "../types/fleet.ts";
import type { Queue, SqlRow } from "./open-queue.ts";
import { runIdOfQueueJob } from "./run-id.ts";
import { deadLetterQueue, runsQueue, ticksQueue } from "./run-jobs.ts";

const workerAliveSeconds = 30;
const maxListedRuns = 100;

export const readFleetOverview = async (queue: Queue): Promise<FleetOverview> => {
  const { sql, schema, boss } = queue;
  const [workers, [counts], parked, [parkedCount], dead, [deadCount], schedules] = await Promise.all([
    sql(
      `SELECT * FROM ${schema}.haft_workers WHERE seen_at > now() - interval '${workerAliveSeconds} seconds' ORDER BY started_at`,
    ),
    sql(
      `SELECT count(*) FILTER (WHERE state < 'active' AND start_after <= now()) AS ready,
         count(*) FILTER (WHERE state < 'active' AND start_after > now()) AS delayed,
         count(*) FILTER (WHERE state = 'active') AS active,
         coalesce(extract(epoch FROM now() - min(greatest(created_on, start_after))
           FILTER (WHERE state < 'active' AND start_after <= now())), 0) AS oldest
       FROM ${schema}.job WHERE name = $1`,
      [runsQueue],
    ),
    sql(`SELECT run_id, reason, updated_at ${parkedRunsSql} ORDER BY updated_at LIMIT ${maxListedRuns}`),
    sql(`SELECT count(*) AS all ${parkedRunsSql}`),
    sql(`SELECT id, data FROM ${schema}.job WHERE name = $1 ORDER BY created_on LIMIT ${maxListedRuns}`, [
      deadLetterQueue,
    ]),
    sql(`SELECT count(*) AS all FROM ${schema}.job WHERE name = $1`, [deadLetterQueue]),
    boss.getSchedules(ticksQueue),
  ]);
  return {
    workers: workers.map(toFleetWorker),
    queue: {
      ready: Number(counts?.ready),
      delayed: Number(counts?.delayed),
      active: Number(counts?.active),
      oldestSeconds: Number(counts?.oldest),
    },
    parked: parked.map(toParkedRun),
    parkedCount: Number(parkedCount?.all),
    dead: dead.map(toDeadRun),
    deadCount: Number(deadCount?.all),
    schedules: schedules.map(({ key, cron, timezone }) => ({ runId: key, cron, timezone })),
  };
};

const parkedRunsSql = "FROM haft_runs WHERE status = 'pending' AND run_id LIKE 'job-%'";

const toFleetWorker = (row: SqlRow): FleetWorker => ({
  id: String(row.id),
  host: String(row.host),
  pid: Number(row.pid),
  agents: parseAgents(String(row.agents)),
  state: String(row.state),
  concurrency: Number(row.concurrency),
  running: Number(row.running),
  taken: Number(row.taken),
  ended: Number(row.ended),
  rate: Number(row.rate),
  startedAt: (row.started_at as Date).getTime(),
  seenAt: (row.seen_at as Date).getTime(),
});

const parseAgents = (text: string): readonly string[] => {
  try {
    const agents: unknown = JSON.parse(text);
    return Array.isArray(agents) ? agents.map(String) : [text];
  } catch {
    return [text];
  }
};

const toParkedRun = ({ run_id, reason, updated_at }: SqlRow): InactiveRun => ({
  runId: String(run_id),
  reason: String(reason ?? ""),
  since: Number(updated_at),
});

const toDeadRun = ({ id, data }: SqlRow): InactiveRun => {
  const { reason, at } = (data ?? {}) as { readonly reason?: unknown; readonly at?: unknown };
  return { runId: runIdOfQueueJob(String(id)), reason: String(reason ?? ""), since: Number(at ?? 0) };
};
