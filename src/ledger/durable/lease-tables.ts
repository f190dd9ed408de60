import { callIndexTables } from "./call-index.ts";
import type { SqlDialect } from "./dialect.ts";

/** Must equal the condition of the partial index. */
export const notExecutedSql = "ending <> 'executed'";

/** Since 0.2.0. Older runs get epoch 1, which the next claim replaces. */
export const leaseTables = (dialect: SqlDialect): readonly string[] => [
  "ALTER TABLE haft_runs ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1",
  // The chain has it too, so that truncation is detected.
  "ALTER TABLE haft_runs ADD COLUMN digest TEXT",
  "CREATE INDEX haft_records_steps ON haft_records (run_id, seq) WHERE kind = 'run-step'",
  "CREATE INDEX haft_runs_owner ON haft_runs (owner) WHERE owner IS NOT NULL",
  // Silence is measured by the observer, without comparing clocks.
  "ALTER TABLE haft_owners ADD COLUMN beats BIGINT NOT NULL DEFAULT 0",
  // Seconds of the server's clock.
  "ALTER TABLE haft_owners ADD COLUMN lease_until DOUBLE PRECISION",
  "ALTER TABLE haft_owners DROP COLUMN low",
  ...callIndexTables(dialect),
  "CREATE INDEX haft_entries_tool ON haft_entries (tool, open_seq)",
  `CREATE INDEX haft_entries_ending ON haft_entries (ending, open_seq) WHERE ${notExecutedSql}`,
];
