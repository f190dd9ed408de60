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

/** Inserts one number into the table of `withTable`; `storedNumbers` reads them. */
export const insertNumber = (a: number) => () => singleStatement("INSERT INTO t VALUES (?) RETURNING a", a);

export const storedNumbers = async (database: Database): Promise<readonly unknown[]> =>
  (await database.read(() => singleStatement("SELECT a FROM t ORDER BY a"))).map(({ a }) => a);

export const numbersUpTo = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index);

export interface PostgresDatabases<Server extends PostgresTestServer = PostgresTestServer> {
  readonly server: Server;
  /** Creates an empty database and resolves with its url. */
  readonly fresh: () => Promise<string>;
  /** Creates a schema in a shared database, which is faster. */
  readonly freshSchema: () => Promise<string>;
  /** Creates a database with ledger tables as a copy of a template, which is faster. */
  readonly migrated: () => Promise<string>;
  /** The same with the tables of a fleet queue. */
  readonly withQueue: () => Promise<string>;
  readonly open: (url: string, patienceMs?: number) => Promise<Database>;
  readonly withTable: (url: string, patienceMs?: number) => Promise<Database>;
}

/** The shared server; databases and connections of a test are removed when it ends. */
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

/** A server for one file, which it may stop and kill. */
export const useOwnPostgres = (): PostgresDatabases<PostgresServer> => {
  let server: PostgresServer | undefined;
  // Declared first, so that it runs last: databases are dropped while the server runs.
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
  /** Databases of the file, and those of the current test. */
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
