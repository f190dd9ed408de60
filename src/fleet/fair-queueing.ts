import type { RunPriority } from "../types/fleet.ts";
import type { Queue } from "./open-queue.ts";

/** Runs of one tenant and priority. Each takes `step` of virtual time. */
export interface TenantFlow {
  readonly name: string;
  readonly step: number;
}

/** Of a run with share 1 and normal priority. */
const virtualTimePerRun = 60;

const priorityWeights: Readonly<Record<RunPriority, number>> = { high: 4, normal: 1, low: 0.25 };

export const priorities = Object.keys(priorityWeights) as readonly RunPriority[];

export const tenantFlowOf = (
  tenant: string | undefined,
  priority: RunPriority,
  share: number,
): TenantFlow => ({
  name: JSON.stringify([tenant ?? null, priority]),
  step: Math.max(1, Math.round(virtualTimePerRun / (share * priorityWeights[priority]))),
});

/** pg-boss takes the highest int4 priority first, so virtual time counts down. */
const maxJobPriority = 2_000_000_000;
const minJobPriority = -2_000_000_000;

export const toJobPriority = (start: number): number => Math.max(minJobPriority, maxJobPriority - start);

export const sharesTableSql = (schema: string): string =>
  `CREATE TABLE IF NOT EXISTS ${schema}.haft_shares (flow TEXT PRIMARY KEY, finish BIGINT NOT NULL)`;

const readyJobsSql = (schema: string): string =>
  `${schema}.job WHERE name = 'runs' AND state < 'active' AND NOT blocked AND start_after <= now()`;

/**
 * Start-time fair queueing: a run starts after the previous run of its flow, and no earlier than the front of
 * the queue. Returns the start of the first of `count` runs per flow.
 */
export const reserveStartTimes = async (
  { sql, schema }: Queue,
  flows: readonly (TenantFlow & { readonly count: number })[],
): Promise<ReadonlyMap<string, number>> => {
  // Sorted: concurrent submitters must lock rows in the same order.
  const ordered = [...flows].sort((one, other) => (one.name < other.name ? -1 : 1));
  const rows = await sql(
    `WITH front AS (
       SELECT coalesce(${maxJobPriority} - (SELECT max(priority) FROM ${readyJobsSql(schema)}),
                       (SELECT max(finish) FROM ${schema}.haft_shares), 0) AS at)
     INSERT INTO ${schema}.haft_shares AS s (flow, finish)
       SELECT f.flow, front.at + f.length
       FROM unnest($1::text[], $2::bigint[]) AS f (flow, length), front ORDER BY f.flow
     ON CONFLICT (flow) DO UPDATE SET finish =
       greatest(s.finish, (SELECT at FROM front)) + excluded.finish - (SELECT at FROM front)
     RETURNING flow, finish`,
    [ordered.map(({ name }) => name), ordered.map(({ step, count }) => step * count)],
  );
  const finishes = new Map(rows.map(({ flow, finish }) => [String(flow), Number(finish)]));
  return new Map(ordered.map(({ name, step, count }) => [name, finishes.get(name)! - step * count]));
};

export const frontPriority = async ({ sql, schema }: Queue): Promise<number> => {
  const [row] = await sql(
    `SELECT coalesce((SELECT max(priority) FROM ${readyJobsSql(schema)}),
                     ${maxJobPriority} - (SELECT max(finish) FROM ${schema}.haft_shares), ${maxJobPriority}) AS front`,
  );
  return Math.max(minJobPriority, Number(row?.front ?? maxJobPriority));
};

/** Resets virtual time while no run waits, before it can overflow. */
export const resetShares = async ({ sql, schema }: Queue): Promise<void> => {
  await sql(
    `DELETE FROM ${schema}.haft_shares WHERE (SELECT max(finish) FROM ${schema}.haft_shares) > 1000000000
     AND NOT EXISTS (SELECT 1 FROM ${schema}.job WHERE name = 'runs' AND state < 'active')`,
  );
};
