import { rowsPerChain } from "./chain/signed-row.ts";
import type { Database } from "./database.ts";

/** What SQLite and PostgreSQL spell differently. Everything else is SQL that both of them read. */
export interface SqlDialect {
  readonly bytes: string;
  /** A number that is the key of its table. */
  readonly serial: string;
  /** Is among what a query finds, which is looked up one by one. */
  readonly among: (query: string) => string;
  /** Is among the texts of one parameter, a JSON array. */
  readonly amongTexts: string;
  /** The same of whole numbers. */
  readonly amongNumbers: string;
  /** The names of all tables where the ledger's own are or would be. */
  readonly tables: string;
  /** Many entries are changed by one statement where each statement is a journey. */
  readonly bulkUpdates: boolean;
  readonly refuseUpdates: readonly string[];
  /** Behind a SELECT: nobody else changes its rows before this transaction ends. */
  readonly lockRows: string;
  /** Each who writes has a chain of its own, so that nobody waits for another. */
  readonly hasChains: boolean;
  /** Rows and entries are kept in a table for each month. */
  readonly hasMonths: boolean;
  /**
   * A condition on the number of a row: its chain does not begin behind it. What was pruned is there for a while after
   * it was declared so; that a chain begins where it does, `verify` holds against the row that says so.
   */
  readonly isKept: (seq: string) => string;
  /** Entries `e`, the newest first. */
  readonly newestFirst: string;
  readonly oldestFirst: string;
  /** What the order goes by. */
  readonly placeOfEntry: (alias: string) => string;
  /** Call ids are put in order later, many at once. */
  readonly isCallIndexDeferred: boolean;
  /** The server's clock, in seconds; nothing where there is no server. */
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
    // Pruning moves the anchor first; whatever lies behind it stays.
    `CREATE TRIGGER haft_records_kept BEFORE DELETE ON haft_records
     WHEN old.seq > (SELECT seq FROM haft_anchor)
     BEGIN SELECT RAISE(ABORT, 'rows of the ledger are only pruned from its beginning'); END`,
  ],
  // Whoever writes has the whole file to itself.
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
  // An array: where the server knows nothing of a table yet, it would join a query by reading the whole table.
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
  // Numbers of two chains say nothing of which came first.
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
