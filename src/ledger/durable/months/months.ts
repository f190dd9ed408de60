import type { Database, Row, Script } from "../database.ts";
import { dialectOf, type SqlDialect } from "../dialect.ts";
import {
  type MonthlyTable,
  monthlyTables,
  monthOf,
  monthStatements,
  noMonth,
  type WritableMonths,
} from "./month-tables.ts";

export interface MonthTable {
  readonly name: string;
  readonly of: MonthlyTable;
  /** `first` is -Infinity for the table of all months up to `last`. */
  readonly first: number;
  readonly last: number;
  readonly isClosed: boolean;
  readonly isDetaching: boolean;
}

export const closedConstraint = "haft_month_is_closed";

const tablesSql = `SELECT c.relname AS name, p.relname AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound,
    i.inhdetachpending AS detaching, EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid
      AND k.conname = '${closedConstraint}') AS closed
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
  WHERE i.inhparent IN (${monthlyTables.map((table) => `to_regclass('${table}')`).join(", ")})`;

export function* readMonthTables(): Script<readonly MonthTable[]> {
  const rows = yield { sql: tablesSql, values: [] };
  return rows.map(toMonthTable).sort((one, other) => one.last - other.last);
}

const toMonthTable = ({ name, parent, bound, detaching, closed }: Row): MonthTable => {
  const [, from, to] = /FROM \((\S+)\) TO \((\S+)\)/.exec(String(bound)) ?? [];
  return {
    name: String(name),
    of: parent as MonthlyTable,
    first: from === "MINVALUE" ? Number.NEGATIVE_INFINITY : Number(from),
    last: Number(to) - 1,
    isClosed: closed === 1,
    isDetaching: detaching === 1,
  };
};

const allMonths = { from: noMonth, to: noMonth, readAt: Number.POSITIVE_INFINITY };

export function* readWritableMonths({ hasMonths }: SqlDialect, now: number): Script<WritableMonths> {
  if (!hasMonths) return allMonths;
  const tables = yield* readMonthTables();
  const isWhole = ({ last, isClosed, isDetaching }: MonthTable): boolean =>
    !isClosed &&
    !isDetaching &&
    tables.filter((other) => other.last === last && !other.isClosed).length === 2;
  const open = tables.filter(isWhole);
  return { from: open[0]?.first ?? noMonth, to: open.at(-1)?.last ?? noMonth, readAt: now };
}

/** For processes that may not create tables. */
const monthsAhead = 3;

/** Only the owner of the tables may add partitions. */
const canCreateSql = `SELECT pg_has_role(current_user, relowner, 'USAGE')
    AND has_schema_privilege(current_user, relnamespace, 'CREATE') AS may,
    CAST(extract(epoch FROM clock_timestamp()) * 1000 AS double precision) AS at
  FROM pg_class WHERE oid = to_regclass('haft_records')`;

/** Without gaps, and limited by the server's clock. */
export function* missingMonths({ hasMonths }: SqlDialect, now: number): Script<readonly number[]> {
  if (!hasMonths) return [];
  const newest = (yield* readMonthTables()).at(-1)?.last;
  if (newest === undefined || newest >= monthOf(now) + monthsAhead) return [];
  const [server] = yield { sql: canCreateSql, values: [] };
  if (server?.may !== 1) return [];
  const last = monthOf(Math.min(now, Number(server.at))) + monthsAhead;
  return Array.from({ length: Math.max(0, last - newest) }, (_, i) => newest + 1 + i);
}

/** When opening, or where DDL cannot run outside of a transaction. */
export const createMissingMonths = (database: Database, now: number): Promise<void> =>
  database.write(
    function* () {
      for (const month of yield* missingMonths(dialectOf(database), now)) {
        for (const sql of monthStatements(month)) yield { post: sql, values: [] };
      }
    },
    { alone: true },
  );

export interface MonthMaintainer {
  readonly keep: () => Promise<void>;
}

const lockTimeoutMs = 1_000;
const retryMs = 60_000;

export const createMonthMaintainer = (database: Database, now: () => number): MonthMaintainer => {
  let kept = Number.NEGATIVE_INFINITY;
  let next = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    const missing = await database.read(() => missingMonths(dialectOf(database), now()));
    const statements = missing.flatMap(monthStatements);
    const came =
      statements.length === 0 ? "done" : await database.alter?.(statements.join("; "), lockTimeoutMs);
    if (came === "busy") return;
    if (came !== "done") await createMissingMonths(database, now());
    kept = monthOf(now());
  };
  return {
    keep: async () => {
      if (!dialectOf(database).hasMonths || monthOf(now()) === kept || now() < next) return;
      next = now() + retryMs;
      // Rows go to the newest month that exists.
      await look().catch(() => {});
    },
  };
};
