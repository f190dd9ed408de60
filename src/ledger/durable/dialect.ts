import type { Database } from "./database.ts";

/** What the databases spell differently. Everything else is SQL that both read. */
export interface Dialect {
  readonly bytes: string;
  /** A number that is the key of its table. */
  readonly serial: string;
  /** Is among the texts of one parameter, a JSON array. */
  readonly amongTexts: string;
  /** The names of all tables where the ledger's own are or would be. */
  readonly tables: string;
  /** Many entries are changed by one statement where each statement is a journey. */
  readonly bulkUpdates: boolean;
  readonly refuseUpdates: readonly string[];
}

const sqlite: Dialect = {
  bytes: "BLOB",
  serial: "INTEGER PRIMARY KEY",
  amongTexts: "IN (SELECT value FROM json_each(?))",
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
};

const postgres: Dialect = {
  bytes: "BYTEA",
  serial: "BIGINT PRIMARY KEY",
  amongTexts: "IN (SELECT json_array_elements_text(CAST(? AS json)))",
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
};

const dialects: Readonly<Record<Database["dialect"], Dialect>> = { sqlite, postgres };

export const dialectOf = (database: Pick<Database, "dialect">): Dialect => dialects[database.dialect];
