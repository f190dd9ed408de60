import { ledgerUnavailable } from "../ledger-errors.ts";
import { notALedgerError } from "../not-a-ledger-error.ts";
import { rareRowsSql } from "./approvals/approval-history.ts";
import { keysOffKind } from "./chain/chain-keys.ts";
import { genesisHash } from "./chain/signed-row.ts";
import type { Query, Script, SilentStatement } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import { leaseTables } from "./leases/ledger-owners.ts";
import { addMonthTables } from "./months/month-tables.ts";
import { addSessionColumn } from "./session-column.ts";

/** SQLite gets the same columns, so that the same code writes both. */
const chainTables = ({ hasChains }: SqlDialect): readonly string[] => [
  "ALTER TABLE haft_anchor ADD COLUMN chain INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE haft_entries ADD COLUMN elsewhere TEXT",
  "ALTER TABLE haft_approvals ADD COLUMN asked_at DOUBLE PRECISION",
  "UPDATE haft_approvals SET asked_at = (SELECT at FROM haft_records WHERE seq = asked_seq)",
  ...(hasChains ? multiChainStatements : []),
];

const multiChainStatements: readonly string[] = [
  // The former single chain becomes chain 0.
  `CREATE TABLE haft_chains (chain INTEGER PRIMARY KEY, owner TEXT, writer TEXT, is_full BOOLEAN NOT NULL DEFAULT false)
     WITH (fillfactor = 50)`,
  "INSERT INTO haft_chains (chain) VALUES (0)",
  "CREATE INDEX haft_chains_owner ON haft_chains (owner)",
  `CREATE TABLE haft_roots (number BIGINT PRIMARY KEY, at DOUBLE PRECISION NOT NULL, heads TEXT NOT NULL,
     is_whole BOOLEAN NOT NULL, root TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL, mac TEXT, key_id TEXT)`,
  "CREATE INDEX haft_roots_whole ON haft_roots (number) WHERE is_whole",
  "CREATE INDEX haft_roots_hash ON haft_roots (hash)",
  "CREATE UNIQUE INDEX haft_anchor_chain ON haft_anchor (chain)",
  `CREATE OR REPLACE FUNCTION haft_records_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'DELETE' AND OLD.seq <= (SELECT seq FROM haft_anchor WHERE chain = OLD.chain) THEN RETURN OLD; END IF;
     RAISE EXCEPTION 'rows of the ledger do not change, and are only pruned from the beginning of their chain';
   END $$`,
  // Sequence numbers do not order rows across chains, so entries are found by time.
  "DROP INDEX haft_entries_tool",
  "DROP INDEX haft_entries_ending",
  "DROP INDEX haft_entries_session",
  "DROP INDEX haft_entries_run",
  "CREATE INDEX haft_runs_started ON haft_runs (started_at, began_seq)",
];

type Migration = (dialect: SqlDialect, now: number) => Script<void>;

/** Independent statements: one round trip. */
type MigrationStatements = (dialect: SqlDialect) => readonly (string | SilentStatement)[];

const runStatements = (steps: MigrationStatements): Migration =>
  function* (dialect) {
    for (const step of steps(dialect)) yield typeof step === "string" ? { post: step, values: [] } : step;
  };

const createTables: MigrationStatements = ({ bytes, serial, refuseUpdates }) => [
  `CREATE TABLE haft_records (seq ${serial}, at DOUBLE PRECISION NOT NULL, kind TEXT NOT NULL,
     entry_id TEXT, run_id TEXT, body TEXT NOT NULL, hash TEXT NOT NULL)`,
  "CREATE TABLE haft_anchor (seq BIGINT NOT NULL, hash TEXT NOT NULL)",
  { post: "INSERT INTO haft_anchor (seq, hash) VALUES (0, ?)", values: [genesisHash] },
  ...refuseUpdates,
  // Bodies are in the records; an entry has only their sequence numbers and its state.
  `CREATE TABLE haft_entries (open_seq ${serial}, entry_id TEXT NOT NULL UNIQUE, call_id TEXT NOT NULL,
     run_id TEXT NOT NULL, tool TEXT NOT NULL, agent TEXT, at DOUBLE PRECISION NOT NULL, ending TEXT NOT NULL,
     owner TEXT NOT NULL, start_seq BIGINT, close_seq BIGINT, last_seq BIGINT NOT NULL,
     closed_at DOUBLE PRECISION, in_run INTEGER NOT NULL, keyed INTEGER NOT NULL, payloads INTEGER NOT NULL)`,
  "CREATE INDEX haft_entries_run ON haft_entries (run_id)",
  `CREATE TABLE haft_keys (key_hash TEXT PRIMARY KEY, entry_id TEXT NOT NULL, call_hash TEXT NOT NULL,
     keyed_seq BIGINT NOT NULL)`,
  "CREATE INDEX haft_keys_entry ON haft_keys (entry_id)",
  `CREATE TABLE haft_payloads (entry_id TEXT NOT NULL, kind TEXT NOT NULL, run_id TEXT NOT NULL,
     sealed ${bytes}, file TEXT, PRIMARY KEY (entry_id, kind))`,
  `CREATE TABLE haft_approvals (id TEXT PRIMARY KEY, entry_id TEXT NOT NULL, run_id TEXT NOT NULL,
     tool TEXT NOT NULL, definition TEXT NOT NULL, status TEXT NOT NULL, always TEXT, asked_seq BIGINT NOT NULL)`,
  `CREATE INDEX haft_records_rare ON haft_records (entry_id) WHERE ${rareRowsSql}`,
  "CREATE INDEX haft_approvals_entry ON haft_approvals (entry_id)",
  "CREATE INDEX haft_approvals_run ON haft_approvals (run_id)",
  "CREATE INDEX haft_approvals_asked ON haft_approvals (asked_seq)",
  "CREATE INDEX haft_approvals_standing ON haft_approvals (tool, definition) WHERE always IS NOT NULL",
  `CREATE TABLE haft_runs (run_id TEXT PRIMARY KEY, agent TEXT NOT NULL, principal TEXT, status TEXT NOT NULL,
     reason TEXT, turns INTEGER NOT NULL, usage TEXT NOT NULL, started_at DOUBLE PRECISION NOT NULL,
     updated_at DOUBLE PRECISION NOT NULL, owner TEXT, given INTEGER NOT NULL, messages INTEGER NOT NULL,
     began_seq BIGINT NOT NULL, last_seq BIGINT NOT NULL, recorded INTEGER NOT NULL)`,
  "CREATE INDEX haft_runs_began ON haft_runs (began_seq)",
  `CREATE TABLE haft_run_messages (run_id TEXT NOT NULL, number INTEGER NOT NULL, call_id TEXT,
     pending INTEGER NOT NULL, sealed ${bytes}, file TEXT, PRIMARY KEY (run_id, number))`,
  `CREATE TABLE haft_owners (owner TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL,
     thread INTEGER NOT NULL, born TEXT NOT NULL, heartbeat DOUBLE PRECISION NOT NULL, low BIGINT NOT NULL)`,
];

/** 0.2.0. Columns are added in place, in constant time. */
const addChainColumns: MigrationStatements = (dialect) => [
  "ALTER TABLE haft_records ADD COLUMN chain INTEGER NOT NULL DEFAULT 0",
  "ALTER TABLE haft_records ADD COLUMN prev TEXT",
  "ALTER TABLE haft_records ADD COLUMN mac TEXT",
  "ALTER TABLE haft_records ADD COLUMN key_id TEXT",
  "CREATE INDEX haft_keys_keyed ON haft_keys (keyed_seq)",
  ...leaseTables(dialect),
];

function* addChainsAndMonths(dialect: SqlDialect, now: number): Script<void> {
  yield* runStatements(chainTables)(dialect, now);
  yield* addMonthTables(dialect, now);
}

/** 0.3.0. Keys of callers do not expire. */
const addKeyRetention: MigrationStatements = () => ["ALTER TABLE haft_keys ADD COLUMN retention_ms BIGINT"];

/** Applied in order. A published migration must never change. */
const migrations: readonly Migration[] = [
  runStatements(createTables),
  runStatements(addChainColumns),
  addSessionColumn,
  addChainsAndMonths,
  runStatements(addKeyRetention),
];

export const tableVersion = migrations.length;

const schemaVersionSql = "SELECT value FROM haft_meta WHERE name = 'schema'";

/**
 * Returns the previous version, 0 for none. Creates nothing if current, so that a role without CREATE can
 * open it.
 */
export function* migrate(dialect: SqlDialect, now: number = Date.now()): Script<number> {
  if (!(yield* isLedger(dialect))) {
    yield toQuery("CREATE TABLE IF NOT EXISTS haft_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
  }
  const [row] = yield toQuery(schemaVersionSql);
  const had = row === undefined ? 0 : Number(row.value);
  if (had > migrations.length) throw newerVersionError(had);
  if (had === migrations.length) return had;
  for (const migration of migrations.slice(had)) yield* migration(dialect, now);
  yield {
    post: `INSERT INTO haft_meta (name, value) VALUES ('schema', ?)
          ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    values: [String(migrations.length)],
  };
  return had;
}

export function* checkTables(dialect: SqlDialect, place: string): Script<void> {
  if (!(yield* isLedger(dialect)))
    throw place.startsWith("postgres") ? tablesMissingError(place) : notALedgerError(place);
  const [row] = yield toQuery(schemaVersionSql);
  const had = Number(row?.value ?? 0);
  if (had > migrations.length) throw newerVersionError(had);
  if (had < migrations.length) throw olderVersionError(place);
}

const isLedger = function* ({ tables }: SqlDialect): Script<boolean> {
  return (yield toQuery(tables)).some(({ name }) => name === "haft_meta");
};

/** Whether sealed texts or MACs require the existing key. */
export function* requiresLedgerKey(dialect: SqlDialect): Script<boolean> {
  if (!(yield* isLedger(dialect))) return false;
  const [version] = yield toQuery(schemaVersionSql);
  if (Number(version?.value ?? 0) >= 2) {
    const [last] = yield toQuery("SELECT kind, key_id FROM haft_records ORDER BY seq DESC LIMIT 1");
    if (last !== undefined && last.key_id !== null && last.kind !== keysOffKind) return true;
  }
  const rows = yield toQuery(`SELECT 1 FROM (SELECT entry_id FROM haft_payloads LIMIT 1) AS p
    UNION ALL SELECT 1 FROM (SELECT run_id FROM haft_run_messages LIMIT 1) AS m`);
  return rows.length > 0;
}

const toQuery = (sql: string): Query => ({ sql, values: [] });

const newerVersionError = (version: number) =>
  ledgerUnavailable(
    `The ledger was written by a newer version of Haft: its tables have version ${version}, and this version of Haft knows ` +
      `${migrations.length}. Update Haft, or use another ledger.`,
  );

const olderVersionError = (place: string) =>
  ledgerUnavailable(
    `${place} was written by an older version of Haft, and a read-only connection does not migrate it. haft ledger migrate ` +
      "migrates its tables, as does opening it once without readOnly.",
  );

const tablesMissingError = (place: string) =>
  ledgerUnavailable(
    `${place} has no tables of Haft in the first schema of this user's search_path. haft ledger migrate creates ` +
      "them, run by a role that may create tables. Nothing was changed.",
  );
