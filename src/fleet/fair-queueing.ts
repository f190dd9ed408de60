import type { RunPriority } from "../types/fleet.ts";
import type { Queue } from "./open-queue.ts";

/** Whose turn it is: runs of one tenant and priority, of which each takes `step` of virtual time. */
export interface TenantFlow {
  readonly name: string;
  readonly step: number;
}

/** So much virtual time one run of a tenant with one share takes. Even numbers for all that shares are divided by. */
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

/** pg-boss takes the highest priority first, an int4: virtual time runs down from here. */
const maxJobPriority = 2_000_000_000;
const minJobPriority = -2_000_000_000;

export const toJobPriority = (start: number): number => Math.max(minJobPriority, maxJobPriority - start);

export const sharesTableSql = (schema: string): string =>
  `CREATE TABLE IF NOT EXISTS ${schema}.haft_shares (flow TEXT PRIMARY KEY, finish BIGINT NOT NULL)`;

const readyJobsSql = (schema: string): string =>
  `${schema}.job WHERE name = 'runs' AND state < 'active' AND NOT blocked AND start_after <= now()`;

/**
 * Start-time fair queueing: a run starts, in virtual time, when the one before of its flow is done, and not before the
 * run that is next in line. So a flow that was idle is served at once, and one with ten thousand runs waits for itself.
 * Gives the start of the first of `count` runs for each flow.
 */
export const reserveStartTimes = async (
  { sql, schema }: Queue,
  flows: readonly (TenantFlow & { readonly count: number })[],
): Promise<ReadonlyMap<string, number>> => {
  // In one order everywhere, so that no two submitters wait for each other's rows.
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

/** Of the run that is next in line: where a run is put that waited before. */
export const frontPriority = async ({ sql, schema }: Queue): Promise<number> => {
  const [row] = await sql(
    `SELECT coalesce((SELECT max(priority) FROM ${readyJobsSql(schema)}),
                     ${maxJobPriority} - (SELECT max(finish) FROM ${schema}.haft_shares), ${maxJobPriority}) AS front`,
  );
  return Math.max(minJobPriority, Number(row?.front ?? maxJobPriority));
};

/** Virtual time begins anew while nobody waits, long before it could run out. */
export const resetShares = async ({ sql, schema }: Queue): Promise<void> => {
  await sql(
    `DELETE FROM ${schema}.haft_shares WHERE (SELECT max(finish) FROM ${schema}.haft_shares) > 1000000000
     AND NOT EXISTS (SELECT 1 FROM ${schema}.job WHERE name = 'runs' AND state < 'active')`,
  );
};
