import type { Database, Row, Script } from "../database.ts";
import { dialectOf, type SqlDialect } from "../dialect.ts";
import { monthOf, noMonth, type WritableMonths } from "./month.ts";
import { type MonthlyTable, makeMonth, monthlyTables } from "./month-tables.ts";

/** The table of a month, or of everything up to one. */
export interface MonthTable {
  readonly name: string;
  readonly of: MonthlyTable;
  /** Its first and its last month; the first has no number where it is everything up to the last. */
  readonly first: number;
  readonly last: number;
  /** Nothing more is written to it: it is about to go. */
  readonly isClosed: boolean;
  /** Somebody began to detach it. */
  readonly isDetaching: boolean;
}

/** Of a constraint that nothing satisfies: whoever writes to such a month is refused, and looks for another. */
export const closedMark = "haft_month_is_closed";

const tablesSql = `SELECT c.relname AS name, p.relname AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound,
    i.inhdetachpending AS detaching, EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid
      AND k.conname = '${closedMark}') AS closed
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
  WHERE i.inhparent IN (${monthlyTables.map((table) => `to_regclass('${table}')`).join(", ")})`;

/** The tables of all months, oldest first. */
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

const everything = { from: noMonth, to: noMonth, readAt: Number.POSITIVE_INFINITY };

/** Where rows may go from now on. */
export function* readWritableMonths({ hasMonths }: SqlDialect, now: number): Script<WritableMonths> {
  if (!hasMonths) return everything;
  const tables = yield* readMonthTables();
  const isWhole = ({ last, isClosed, isDetaching }: MonthTable): boolean =>
    !isClosed &&
    !isDetaching &&
    tables.filter((other) => other.last === last && !other.isClosed).length === 2;
  const open = tables.filter(isWhole);
  return { from: open[0]?.first ?? noMonth, to: open.at(-1)?.last ?? noMonth, readAt: now };
}

/** So many months behind this one have their tables already: whoever may make none need not come by each month. */
const ahead = 3;

/** Only the owner of the tables may add to them; others write to the months that there are. */
const mayMakeSql = `SELECT pg_has_role(current_user, relowner, 'USAGE')
    AND has_schema_privilege(current_user, relnamespace, 'CREATE') AS may,
    CAST(extract(epoch FROM clock_timestamp()) * 1000 AS double precision) AS at
  FROM pg_class WHERE oid = to_regclass('haft_records')`;

/** Makes the tables of this month and the next ones, as far as they are missing. A clock that runs ahead makes none. */
function* makeMonths(now: number): Script<void> {
  const [server] = yield { sql: mayMakeSql, values: [] };
  if (server?.may !== 1) return;
  const tables = yield* readMonthTables();
  const newest = tables.at(-1)?.last;
  if (newest === undefined) return;
  const last = monthOf(Math.min(now, Number(server.at))) + ahead;
  for (let month = newest + 1; month <= last; month += 1) yield* makeMonth(month);
}

/** Whether one of the next months has no table yet. */
export function* areMonthsMissing({ hasMonths }: SqlDialect, now: number): Script<boolean> {
  if (!hasMonths) return false;
  const tables = yield* readMonthTables();
  return (tables.at(-1)?.last ?? 0) < monthOf(now) + ahead;
}

/** Where it cannot be done now, rows go to the newest month there is, and whoever comes next tries again. */
export const addNextMonths = (database: Database, now: number): Promise<void> =>
  database.write(() => makeMonths(now), { alone: true }).catch(() => {});

export interface MonthKeeper {
  /** Looks whether the next months have their tables, where that may have changed. */
  readonly keep: () => Promise<void>;
}

/** Whoever has the ledger open makes months before they begin. */
export const monthKeeper = (database: Database, now: () => number): MonthKeeper => {
  let looked = Number.NEGATIVE_INFINITY;
  return {
    keep: async () => {
      const dialect = dialectOf(database);
      if (!dialect.hasMonths || monthOf(now()) === looked) return;
      looked = monthOf(now());
      const areMissing = await database.read(() => areMonthsMissing(dialect, now())).catch(() => false);
      if (areMissing) await addNextMonths(database, now());
    },
  };
};
