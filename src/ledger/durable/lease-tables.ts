import { callIndexTables } from "./call-index.ts";
import type { SqlDialect } from "./dialect.ts";

/** As the index on endings says it: a query must say the same, or the index does not serve it. */
export const notExecutedSql = "ending <> 'executed'";

/**
 * What claims and leases need since 0.2.0. A run that a process of an older version held has the epoch 1, which the
 * next claim replaces.
 */
export const leaseTables = (dialect: SqlDialect): readonly string[] => [
  "ALTER TABLE haft_runs ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1",
  // Of the conversation so far; the chain has it too, so that nobody can cut a conversation unnoticed.
  "ALTER TABLE haft_runs ADD COLUMN digest TEXT",
  "CREATE INDEX haft_records_steps ON haft_records (run_id, seq) WHERE kind = 'run-step'",
  "CREATE INDEX haft_runs_owner ON haft_runs (owner) WHERE owner IS NOT NULL",
  // Counted up by each heartbeat, so that silence is measured by whoever listens and never by comparing clocks.
  "ALTER TABLE haft_owners ADD COLUMN beats BIGINT NOT NULL DEFAULT 0",
  // In seconds of the server's clock; nothing where there is no server, and the beats decide.
  "ALTER TABLE haft_owners ADD COLUMN lease_until DOUBLE PRECISION",
  // Open entries are found by index, so nobody need remember where the oldest of them is.
  "ALTER TABLE haft_owners DROP COLUMN low",
  ...callIndexTables(dialect),
  "CREATE INDEX haft_entries_tool ON haft_entries (tool, open_seq)",
  // Nearly all entries were executed: whoever looks for those finds them from the end, and the index stays small.
  `CREATE INDEX haft_entries_ending ON haft_entries (ending, open_seq) WHERE ${notExecutedSql}`,
];
