import type { FleetOverview, FleetWorker, PoolOverview, RestingRun } from "../words/fleet.ts";
import { deadQueue, runsQueue, ticksQueue } from "./jobs.ts";
import { poolTable } from "./pool/pool-jobs.ts";
import type { Queue, SqlRow } from "./queue.ts";
import { runIdOf } from "./run-id.ts";

const aliveSeconds = 30;
const most = 100;

/** The whole fleet, as the database has it. */
export const lookAt = async (queue: Queue): Promise<FleetOverview> => {
  const { sql, schema, boss } = queue;
  const [workers, [counts], parked, [parkedCount], dead, [deadCount], schedules, pools] = await Promise.all([
    sql(
      `SELECT * FROM ${schema}.haft_workers WHERE seen_at > now() - interval '${aliveSeconds} seconds' ORDER BY started_at`,
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
    sql(`SELECT run_id, reason, updated_at ${parkedRuns} ORDER BY updated_at LIMIT ${most}`),
    sql(`SELECT count(*) AS all ${parkedRuns}`),
    sql(`SELECT id, data FROM ${schema}.job WHERE name = $1 ORDER BY created_on LIMIT ${most}`, [deadQueue]),
    sql(`SELECT count(*) AS all FROM ${schema}.job WHERE name = $1`, [deadQueue]),
    boss.getSchedules(ticksQueue),
    poolsIn(queue),
  ]);
  return {
    workers: workers.map(toWorker),
    queue: {
      ready: Number(counts?.ready),
      delayed: Number(counts?.delayed),
      active: Number(counts?.active),
      oldestSeconds: Number(counts?.oldest),
    },
    parked: parked.map(toParked),
    parkedCount: Number(parkedCount?.all),
    dead: dead.map(toDead),
    deadCount: Number(deadCount?.all),
    schedules: schedules.map(({ key, cron, timezone }) => ({ runId: key, cron, timezone })),
    pools,
  };
};

/** None where nobody has sent a call to one yet: then there is no table. */
const poolsIn = async ({ sql }: Queue): Promise<readonly PoolOverview[]> => {
  const [table] = await sql("SELECT to_regclass($1) AS name", [poolTable]);
  if (table?.name == null) return [];
  const rows = await sql(
    `SELECT pool, count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'running') AS running,
       coalesce(extract(epoch FROM now() - min(at) FILTER (WHERE state = 'waiting')), 0) AS oldest
     FROM ${poolTable} WHERE state <> 'done' GROUP BY pool ORDER BY pool`,
  );
  return rows.map(({ pool, waiting, running, oldest }) => ({
    pool: String(pool),
    waiting: Number(waiting),
    running: Number(running),
    oldestSeconds: Number(oldest),
  }));
};

const parkedRuns = "FROM haft_runs WHERE status = 'pending' AND run_id LIKE 'job-%'";

const toWorker = (row: SqlRow): FleetWorker => ({
  id: String(row.id),
  host: String(row.host),
  pid: Number(row.pid),
  agents: agentsIn(String(row.agents)),
  state: String(row.state),
  concurrency: Number(row.concurrency),
  running: Number(row.running),
  taken: Number(row.taken),
  ended: Number(row.ended),
  rate: Number(row.rate),
  startedAt: (row.started_at as Date).getTime(),
  seenAt: (row.seen_at as Date).getTime(),
});

/** What a worker wrote of itself is shown as it is, whatever it is. */
const agentsIn = (text: string): readonly string[] => {
  try {
    const agents: unknown = JSON.parse(text);
    return Array.isArray(agents) ? agents.map(String) : [text];
  } catch {
    return [text];
  }
};

const toParked = ({ run_id, reason, updated_at }: SqlRow): RestingRun => ({
  runId: String(run_id),
  reason: String(reason ?? ""),
  since: Number(updated_at),
});

const toDead = ({ id, data }: SqlRow): RestingRun => {
  const { reason, at } = (data ?? {}) as { readonly reason?: unknown; readonly at?: unknown };
  return { runId: runIdOf(String(id)), reason: String(reason ?? ""), since: Number(at ?? 0) };
};
