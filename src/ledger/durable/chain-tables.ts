import type { SqlDialect } from "./dialect.ts";

/** SQLite gets the same columns, so that the same code writes both. */
export const chainTables = ({ hasChains }: SqlDialect): readonly string[] => [
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
