import { afterAll, afterEach, beforeAll } from "vitest";
import { redactor } from "../../src/json/redact.ts";
import type { Database, Row, Script, SqlValue } from "../../src/ledger/durable/database.ts";
import { durableLedger } from "../../src/ledger/durable/durable-ledger.ts";
import { postgresDatabase } from "../../src/ledger/postgres.ts";
import { type PostgresServer, type PostgresVersion, startPostgres } from "./postgres.ts";

/** One statement as a script. */
export function* one(sql: string, ...values: SqlValue[]): Script<readonly Row[]> {
  return yield { sql, values };
}

/** Writes one number into the table that `withTable` makes; what is there afterward are the numbers in `kept`. */
export const insert = (a: number) => () => one("INSERT INTO t VALUES (?) RETURNING a", a);

export const kept = async (database: Database): Promise<readonly unknown[]> =>
  (await database.read(() => one("SELECT a FROM t ORDER BY a"))).map(({ a }) => a);

export const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

export interface PostgresWorld {
  readonly server: PostgresServer;
  /** The url of a new and empty database. */
  readonly fresh: () => Promise<string>;
  /** The same within one database, which is quicker: a schema of its own. */
  readonly freshSchema: () => Promise<string>;
  /** The url of a new database with a ledger's tables in it, a copy of one: making them takes half a second. */
  readonly migrated: () => Promise<string>;
  readonly open: (url: string, patienceMs?: number) => Promise<Database>;
  readonly withTable: (url: string, patienceMs?: number) => Promise<Database>;
}

const migrate = async (url: string): Promise<void> => {
  const ledger = await durableLedger(await postgresDatabase({ url }), { redactor: redactor({}), place: url });
  await ledger.end();
};

/** One server for the tests of one file, and what a test opened on it is closed when it ends. */
export const postgresWorld = (version?: PostgresVersion): PostgresWorld => {
  let server: PostgresServer | undefined;
  let made = 0;
  let opened: Database[] = [];
  let template: Promise<void> | undefined;
  beforeAll(async () => {
    server = await startPostgres([], version);
  }, 60_000);
  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()));
    opened = [];
  });
  afterAll(() => server?.stop(), 60_000);

  const open: PostgresWorld["open"] = async (url, patienceMs = 10_000) => {
    const database = await postgresDatabase({ url, patienceMs });
    opened.push(database);
    return database;
  };
  return {
    get server() {
      if (server === undefined) throw new Error("the server runs within tests only");
      return server;
    },
    fresh() {
      made += 1;
      return this.server.createDatabase(`fresh_${made}`);
    },
    async freshSchema() {
      made += 1;
      await this.server.query(`CREATE SCHEMA fresh_${made}`);
      return `${this.server.url}?options=-c%20search_path%3Dfresh_${made}`;
    },
    async migrated() {
      template ??= migrate(await this.server.createDatabase("with_tables"));
      await template;
      made += 1;
      await this.server.query(`CREATE DATABASE migrated_${made} TEMPLATE with_tables`);
      const url = new URL(this.server.url);
      url.pathname = `/migrated_${made}`;
      return url.href;
    },
    open,
    withTable: async (url, patienceMs) => {
      const database = await open(url, patienceMs);
      await database.write(() => one("CREATE TABLE t (a int8)"));
      return database;
    },
  };
};
