import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { Database, Row, Script, SqlValue } from "../../../src/ledger/durable/database.ts";
import { openPostgresDatabase } from "../../../src/ledger/postgres-database.ts";
import type { PostgresVersion } from "./postgres-programs.ts";
import { databaseTemplate } from "./postgres-templates.ts";
import { type PostgresTestServer, queryAt, sharedTestServer } from "./postgres-test-server.ts";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";

/** One statement as a script. */
export function* singleStatement(sql: string, ...values: SqlValue[]): Script<readonly Row[]> {
  return yield { sql, values };
}

/** Writes one number into the table that `withTable` makes; what is there afterward are the numbers in `kept`. */
export const insertNumber = (a: number) => () => singleStatement("INSERT INTO t VALUES (?) RETURNING a", a);

export const storedNumbers = async (database: Database): Promise<readonly unknown[]> =>
  (await database.read(() => singleStatement("SELECT a FROM t ORDER BY a"))).map(({ a }) => a);

export const numbersUpTo = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

export interface PostgresDatabases<Server extends PostgresTestServer = PostgresTestServer> {
  readonly server: Server;
  /** The url of a new and empty database. */
  readonly fresh: () => Promise<string>;
  /** The same within one database of the file, which is quicker: a schema of its own. */
  readonly freshSchema: () => Promise<string>;
  /** The url of a new database with a ledger's tables in it, a copy of one: quicker than making them. */
  readonly migrated: () => Promise<string>;
  /** The same with the tables of a fleet's queue beside them. */
  readonly withQueue: () => Promise<string>;
  readonly open: (url: string, patienceMs?: number) => Promise<Database>;
  readonly withTable: (url: string, patienceMs?: number) => Promise<Database>;
}

/** The server of all test files; what a test made or opened on it is gone when the test ends. */
export const usePostgres = (version?: PostgresVersion): PostgresDatabases => {
  let prefix = "";
  return databasesOn(
    async () => {
      const shared = await sharedTestServer(version);
      prefix = shared.prefix;
      return shared;
    },
    () => prefix,
  );
};

/** A server for one file alone, which it may stop and kill, and on which it sees nobody else. */
export const useOwnPostgres = (): PostgresDatabases<PostgresServer> => {
  let server: PostgresServer | undefined;
  // Declared first, so that it comes last: databases are dropped while there is a server.
  afterAll(() => server?.stop());
  const start = async (): Promise<PostgresServer> => {
    server = await startPostgres();
    return server;
  };
  return databasesOn(start, () => "own");
};

const databasesOn = <Server extends PostgresTestServer>(
  find: () => Promise<Server>,
  prefix: () => string,
): PostgresDatabases<Server> => {
  let server: Server | undefined;
  let made = 0;
  let opened: Database[] = [];
  /** Databases that go with the file, and those that go with the test that made them. */
  const ofFile: string[] = [];
  const ofTest: string[] = [];
  let schemas: Promise<string> | undefined;
  const drop = async (names: string[]): Promise<void> => {
    for (const name of names.splice(0)) await server?.query(`DROP DATABASE ${name} WITH (FORCE)`);
  };
  beforeAll(async () => {
    server = await find();
  });
  beforeEach(() => {
    ofFile.push(...ofTest.splice(0));
  });
  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()));
    opened = [];
    await drop(ofTest);
  });
  afterAll(() => drop([...ofTest, ...ofFile]));

  const create = (template?: string, among = ofTest): Promise<string> => {
    made += 1;
    const name = `${prefix()}_${made}`;
    among.push(name);
    return world.server.createDatabase(name, template);
  };
  const open: PostgresDatabases["open"] = async (url, patienceMs = 10_000) => {
    const database = await openPostgresDatabase({ url, patienceMs });
    opened.push(database);
    return database;
  };
  const world: PostgresDatabases<Server> = {
    get server() {
      if (server === undefined) throw new Error("the server runs within tests only");
      return server;
    },
    fresh: () => create(),
    async freshSchema() {
      schemas ??= create(undefined, ofFile);
      const url = await schemas;
      made += 1;
      await queryAt(url, `CREATE SCHEMA fresh_${made}`);
      return `${url}?options=-c%20search_path%3Dfresh_${made}`;
    },
    migrated: async () => create(await databaseTemplate(world.server, "with_tables")),
    withQueue: async () => create(await databaseTemplate(world.server, "with_queue")),
    open,
    withTable: async (url, patienceMs) => {
      const database = await open(url, patienceMs);
      await database.write(() => singleStatement("CREATE TABLE t (a int8)"));
      return database;
    },
  };
  return world;
};
