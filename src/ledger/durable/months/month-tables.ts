import { rareRowsSql } from "../approvals/approval-history.ts";
import type { Script, SilentStatement } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { notExecutedSql } from "../leases/ledger-owners.ts";

export const monthlyTables = ["haft_records", "haft_entries"] as const;

export type MonthlyTable = (typeof monthlyTables)[number];

/**
 * PostgreSQL cannot enforce uniqueness across partitions. Numbers are assigned only by a chain's owner, and
 * reopening an entry looks it up first.
 */
const uniqueColumns: Readonly<Record<MonthlyTable, readonly string[]>> = {
  haft_records: ["seq"],
  haft_entries: ["open_seq", "entry_id"],
};

/** Trailing columns let queries on two columns filter within the index. */
const indexes: Readonly<Record<MonthlyTable, Readonly<Record<string, string>>>> = {
  haft_records: {
    rare: `(entry_id) WHERE ${rareRowsSql}`,
    steps: "(run_id, seq) WHERE kind = 'run-step'",
  },
  haft_entries: {
    run: "(run_id, at, open_seq)",
    call: "(call_id)",
    at: "(at, open_seq)",
    tool: "(tool, at, open_seq, agent)",
    ending: `(ending, at, open_seq, tool, agent) WHERE ${notExecutedSql}`,
    session: "(session, at, open_seq) WHERE session IS NOT NULL",
    agent: "(agent, at, open_seq, tool) WHERE agent IS NOT NULL",
    elsewhere: "(open_seq) WHERE elsewhere IS NOT NULL",
  },
};

/** Existing rows become the partition up to this month. SQLite only gets the column. */
export function* addMonthTables({ hasMonths }: SqlDialect, now: number): Script<void> {
  const month = monthOf(now);
  for (const table of monthlyTables) {
    if (hasMonths) yield* partitionTable(table, month);
    else yield silentStatement(`ALTER TABLE ${table} ADD COLUMN month INTEGER NOT NULL DEFAULT ${noMonth}`);
  }
  if (!hasMonths) return;
  yield silentStatement(`CREATE TRIGGER haft_records_fixed BEFORE UPDATE OR DELETE ON haft_records
    FOR EACH ROW EXECUTE FUNCTION haft_records_fixed()`);
}

/** Counted from year 0 in UTC. */
export const monthOf = (at: number): number => {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

export const monthName = (month: number): string =>
  `${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, "0")}`;

export const startOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12);

export interface WritableMonths {
  readonly from: number;
  readonly to: number;
  readonly readAt: number;
}

/** Where tables are not partitioned. */
export const noMonth = 0;

/** Limited to existing months, so that clock errors do no harm. */
export const writableMonth = (now: number, { from, to }: WritableMonths): number =>
  Math.max(from, Math.min(to, monthOf(now)));

function* partitionTable(table: MonthlyTable, month: number): Script<void> {
  const before = `${table}_until_${monthName(month)}`;
  // Partitions inherit the parent's trigger.
  if (table === "haft_records")
    yield silentStatement(`DROP TRIGGER IF EXISTS haft_records_fixed ON ${table}`);
  yield silentStatement(`ALTER TABLE ${table} RENAME TO ${before}`);
  yield silentStatement(`ALTER TABLE ${before} ADD COLUMN month INTEGER NOT NULL DEFAULT ${month}`);
  yield silentStatement(
    `CREATE TABLE ${table} (LIKE ${before} INCLUDING DEFAULTS) PARTITION BY RANGE (month)`,
  );
  yield silentStatement(
    `ALTER TABLE ${table} ATTACH PARTITION ${before} FOR VALUES FROM (MINVALUE) TO (${month + 1})`,
  );
  for (const [name, on] of Object.entries(indexes[table])) {
    yield silentStatement(`ALTER INDEX IF EXISTS ${table}_${name} RENAME TO ${before}_${name}`);
    yield silentStatement(`CREATE INDEX IF NOT EXISTS ${before}_${name} ON ${before} ${on}`);
    yield silentStatement(`CREATE INDEX ${table}_${name} ON ${table} ${on}`);
  }
}

/** Attached when complete: creating partitions directly would lock the parent. */
export const monthStatements = (month: number): readonly string[] =>
  monthlyTables.flatMap((table) => {
    const made = `${table}_${monthName(month)}`;
    return [
      `CREATE TABLE ${made} (LIKE ${table} INCLUDING DEFAULTS)`,
      ...uniqueColumns[table].map((column) => `CREATE UNIQUE INDEX ${made}_${column} ON ${made} (${column})`),
      ...Object.entries(indexes[table]).map(([name, on]) => `CREATE INDEX ${made}_${name} ON ${made} ${on}`),
      // Lets ATTACH PARTITION skip the scan.
      `ALTER TABLE ${made} ADD CONSTRAINT ${made}_month CHECK (month = ${month})`,
      `ALTER TABLE ${table} ATTACH PARTITION ${made} FOR VALUES FROM (${month}) TO (${month + 1})`,
    ];
  });

const silentStatement = (sql: string): SilentStatement => ({ post: sql, values: [] });
