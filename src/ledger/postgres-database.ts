import { ConfigurationError, LedgerError } from "../words/errors.ts";
import type { Database, Reclaimed, ReclaimOptions, Row } from "./durable/database.ts";
import { alter } from "./postgres/alter.ts";
import { loadPg } from "./postgres/load-pg.ts";
import { presence } from "./postgres/presence.ts";
import { reader } from "./postgres/reader.ts";
import { ask, connect, letGo, type Postgres, type PostgresClient, settings } from "./postgres/session.ts";
import { statements } from "./postgres/statements.ts";
import { isRefusal, Trouble, toLedgerError } from "./postgres/trouble.ts";
import { writer } from "./postgres/writer.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`. Tables are in the first schema of its search_path. */
  readonly url: string;
  /** How long a lost connection or another process's lock is waited for. */
  readonly patienceMs?: number;
}

const placeOf = (url: string): string => {
  const { host, pathname, search, hash, protocol } = URL.parse(url) ?? {};
  // Behind the host an @ can only be that of a password which was cut in two, and would be printed.
  const isCut = `${pathname}${search}${hash}`.includes("@");
  if ((protocol !== "postgres:" && protocol !== "postgresql:") || isCut) {
    throw new ConfigurationError(
      "invalid_config",
      "The url of a PostgreSQL ledger cannot be read. It is written postgres://user:password@host:5432/database, " +
        "and a character in user or password that means something in a url is percent-encoded.",
    );
  }
  return `${host}${pathname}`;
};

/** A wrong url is told at once; only a server that is still starting is waited for. */
const firstLook = async (postgres: Postgres): Promise<Row> => {
  const until = performance.now() + postgres.patienceMs;
  for (;;) {
    try {
      const client = await connect(postgres);
      const { rows } = await ask(
        client,
        "SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding",
      ).finally(() => letGo(client));
      return rows[0] ?? {};
    } catch (error) {
      if (!(error instanceof Trouble && error.isStarting) || performance.now() > until) {
        throw toLedgerError(error, postgres.place);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};

const readSchema = ({ schema, encoding }: Row, place: string): string => {
  if (encoding !== "UTF8") {
    throw new LedgerError(
      "ledger_unavailable",
      `PostgreSQL at ${place}: the database is encoded in ${encoding}, which cannot hold what models write. Create one ` +
        "with ENCODING 'UTF8'.",
    );
  }
  if (typeof schema === "string") return schema;
  throw new LedgerError(
    "ledger_unavailable",
    `PostgreSQL at ${place}: no schema of the search_path exists, so there is no place for tables. Create one ` +
      "(CREATE SCHEMA …), or set the user's search_path.",
  );
};

/** PostgreSQL 14 or newer, over the package `pg`. */
export const postgresDatabase = async (options: PostgresOptions): Promise<Database> => {
  const { url, patienceMs = 10_000 } = options;
  const place = placeOf(url);
  const postgres: Postgres = {
    pg: await loadPg(),
    url,
    place,
    patienceMs,
    toStatements: statements(() => !postgres.isPooled),
    isPooled: false,
  };
  const schema = readSchema(await firstLook(postgres), place);
  const { id, write, close: closeWriter } = writer(postgres, schema);
  const { read, close: closeReader } = reader(postgres);
  const { hold, findGone, close: closePresence } = presence(postgres, schema, read);

  let closing: Promise<void> | undefined;
  const unlessClosed = async <A>(work: () => Promise<A>): Promise<A> => {
    if (closing === undefined) return work();
    throw new LedgerError("ledger_unavailable", `PostgreSQL at ${place}: this ledger was closed.`);
  };
  const close = async (): Promise<void> => {
    await closeWriter();
    await Promise.all([closePresence(), closeReader()]);
  };
  return {
    dialect: "postgres",
    writer: id,
    write: (script, options) => unlessClosed(() => write(script, options)),
    read: (script) => unlessClosed(() => read(script)),
    findGone: (owners) => unlessClosed(() => findGone(owners)),
    hold: (owner) => unlessClosed(() => hold(owner)),
    isRefusal,
    alter: (statement, patienceMs) => unlessClosed(() => alter(postgres)(statement, patienceMs)),
    reclaim: (options) => unlessClosed(() => reclaim(postgres, options)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};

const tables = ["records", "entries", "keys", "payloads", "approvals", "runs", "run_messages"];

/**
 * Lets rows to come use the space of those that were deleted. A plain VACUUM keeps nobody from reading or writing, and
 * whoever owns the tables may do it.
 */
const reclaim = async (postgres: Postgres, { isStopped, isLast }: ReclaimOptions): Promise<Reclaimed> => {
  if (!isLast) return nothing;
  // It takes as long as the tables are long: nothing else may time out because of that, and it may not either.
  const client = new postgres.pg.Client({ ...settings(postgres), query_timeout: 0 }) as PostgresClient;
  // Nobody listening would end the process; whoever asks the client next meets the error anyway.
  client.on("error", () => {});
  try {
    await client.connect();
    for (const table of tables) {
      if (isStopped()) break;
      await ask(client, `VACUUM haft_${table}`);
    }
  } catch {
    // The rows are gone already, and autovacuum comes by in any case.
  } finally {
    letGo(client);
  }
  return nothing;
};

/** It does not say how much it found, and gives none of it to the operating system. */
const nothing: Reclaimed = { freedBytes: 0, unreturnedBytes: 0 };
