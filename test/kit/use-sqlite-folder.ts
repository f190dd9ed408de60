import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import type { Database } from "../../src/ledger/durable/database.ts";
import { createDurableLedger } from "../../src/ledger/durable/durable-ledger.ts";
import { type OpenDurableLedgerOptions, openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";
import { openSqliteDatabase } from "../../src/ledger/sqlite-database.ts";
import type { DurableLedger } from "../../src/types/durable-ledger.ts";
import { ledgerSecret } from "../contracts/ledger-contract.ts";

/** Masks the secret that every ledger under test knows. */
export const testMasking = redactor({ secrets: () => [ledgerSecret] });

export interface SqliteFolder {
  /** A path that does not exist yet. */
  readonly fresh: () => string;
  readonly open: (path: string, options?: Partial<OpenDurableLedgerOptions>) => Promise<DurableLedger>;
  /** Also returns the database, so that a test can interfere on its own connection. */
  readonly openBoth: (
    path: string,
  ) => Promise<{ readonly ledger: DurableLedger; readonly database: Database }>;
  /** Another connection, like that of another process. */
  readonly connect: (path: string) => DatabaseSync;
  /** The contents of all files in the folder, as one text. */
  readonly contents: () => string;
}

/** A folder for the tests of one file; what a test opened in it is closed when it ends. */
export const useSqliteFolder = (): SqliteFolder => {
  const folder = mkdtempSync(join(tmpdir(), "haft-sqlite-"));
  let made = 0;
  let opened: DurableLedger[] = [];
  let connected: DatabaseSync[] = [];
  const remember = (ledger: DurableLedger): DurableLedger => {
    opened.push(ledger);
    return ledger;
  };
  afterEach(async () => {
    for (const connection of connected) if (connection.isOpen) connection.close();
    for (const ledger of opened) await ledger.end().catch(() => {});
    opened = [];
    connected = [];
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    fresh: () => {
      made += 1;
      return join(folder, String(made), "ledger.db");
    },
    open: async (path, options) =>
      remember(await openDurableLedger(`sqlite:${path}`, { redactor: testMasking, ...options })),
    openBoth: async (path) => {
      const database = openSqliteDatabase({ path, busyMs: 200 });
      const keys = [new Uint8Array(32)];
      return {
        database,
        ledger: remember(await createDurableLedger(database, { redactor: testMasking, place: path, keys })),
      };
    },
    connect: (path) => {
      const connection = new DatabaseSync(path);
      connected.push(connection);
      return connection;
    },
    contents: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
        .join("\n"),
  };
};
