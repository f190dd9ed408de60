import { rowsPerChain } from "./chain/signed-row.ts";
import type { Database } from "./database.ts";

/** All other SQL works on both. */
export interface SqlDialect {
  readonly bytes: string;
  readonly serial: string;
  /** Evaluated with index lookups. */
  readonly among: (query: string) => string;
  /** The parameter is a JSON array. */
  readonly amongTexts: string;
  readonly amongNumbers: string;
  readonly tables: string;
  readonly bulkUpdates: boolean;
  readonly refuseUpdates: readonly string[];
  /** Appended to a SELECT to lock its rows. */
  readonly lockRows: string;
  /** Each writer has a chain of its own. */
  readonly hasChains: boolean;
  readonly hasMonths: boolean;
  /** A condition: the row is not pruned. Pruned rows stay in their table for a while. */
  readonly isKept: (seq: string) => string;
  readonly newestFirst: string;
  readonly oldestFirst: string;
  readonly placeOfEntry: (alias: string) => string;
  readonly isCallIndexDeferred: boolean;
  /** In seconds. */
  readonly serverSeconds: string | undefined;
}

const sqliteDialect: SqlDialect = {
  bytes: "BLOB",
  serial: "INTEGER PRIMARY KEY",
  among: (query) => `IN (${query})`,
  amongTexts: "IN (SELECT value FROM json_each(?))",
  amongNumbers: "IN (SELECT value FROM json_each(?))",
  tables: "SELECT name FROM sqlite_master WHERE type = 'table'",
  bulkUpdates: false,
  refuseUpdates: [
    `CREATE TRIGGER haft_records_fixed BEFORE UPDATE ON haft_records
     BEGIN SELECT RAISE(ABORT, 'rows of the ledger do not change'); END`,
    // Pruning moves the anchor first.
    `CREATE TRIGGER haft_records_kept BEFORE DELETE ON haft_records
     WHEN old.seq > (SELECT seq FROM haft_anchor)
     BEGIN SELECT RAISE(ABORT, 'rows of the ledger are only pruned from its beginning'); END`,
  ],
  // A SQLite writer locks the whole file.
  lockRows: "",
  hasChains: false,
  hasMonths: false,
  isKept: () => "1 = 1",
  newestFirst: "e.open_seq DESC",
  oldestFirst: "e.open_seq",
  placeOfEntry: (alias) => `${alias}.open_seq`,
  isCallIndexDeferred: true,
  serverSeconds: undefined,
};

const equalsAny = (query: string): string => `= ANY (ARRAY(${query}))`;

const postgresDialect: SqlDialect = {
  bytes: "BYTEA",
  serial: "BIGINT PRIMARY KEY",
  // Without table statistics, a subquery would become a full scan.
  among: equalsAny,
  amongTexts: equalsAny("SELECT json_array_elements_text(CAST(? AS json))"),
  amongNumbers: equalsAny("SELECT CAST(json_array_elements_text(CAST(? AS json)) AS bigint)"),
  tables: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
  bulkUpdates: true,
  refuseUpdates: [
    `CREATE FUNCTION haft_records_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF TG_OP = 'DELETE' AND OLD.seq <= (SELECT seq FROM haft_anchor) THEN RETURN OLD; END IF;
       RAISE EXCEPTION 'rows of the ledger do not change, and are only pruned from its beginning';
     END $$`,
    `CREATE TRIGGER haft_records_fixed BEFORE UPDATE OR DELETE ON haft_records
     FOR EACH ROW EXECUTE FUNCTION haft_records_fixed()`,
  ],
  lockRows: "FOR NO KEY UPDATE",
  hasChains: true,
  hasMonths: true,
  isKept: (seq) =>
    `NOT EXISTS (SELECT 1 FROM haft_anchor b WHERE b.chain = ${seq} / ${rowsPerChain} AND b.seq >= ${seq}
      AND ${seq} > CAST(b.chain AS bigint) * ${rowsPerChain})`,
  // Sequence numbers do not order rows across chains.
  newestFirst: "e.at DESC, e.open_seq DESC",
  oldestFirst: "e.at, e.open_seq",
  placeOfEntry: (alias) => `${alias}.at, ${alias}.open_seq`,
  isCallIndexDeferred: false,
  serverSeconds: "extract(epoch FROM clock_timestamp())",
};

const dialects: Readonly<Record<Database["dialect"], SqlDialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
};

export const dialectOf = (database: Pick<Database, "dialect">): SqlDialect => dialects[database.dialect];
