import { ConfigurationError, LedgerError } from "../types/errors.ts";
import type { Database, ReclaimOptions, ReclaimResult, Row } from "./durable/database.ts";
import {
  createRetrier,
  isPostgresValueError,
  PostgresError,
  toPostgresLedgerError,
} from "./postgres/errors.ts";
import { createOwnerLocks } from "./postgres/owner-locks.ts";
import { createPostgresWriter } from "./postgres/postgres-writer.ts";
import {
  clientSettings,
  closeClient,
  connectClient,
  ignoreConnectionErrors,
  loadPg,
  type Postgres,
  type PostgresClient,
  runQuery,
} from "./postgres/session.ts";
import { createStatementBatch, runScript } from "./postgres/statement-batch.ts";
import { createStatementBuilder } from "./postgres/statements.ts";

export interface PostgresOptions {
  /** Tables are in the first schema of the search_path. */
  readonly url: string;
  /** How long to wait for a connection or a lock. */
  readonly patienceMs?: number;
}

const readUrlPlace = (url: string): string => {
  const { host, pathname, search, hash, protocol } = URL.parse(url) ?? {};
  // An @ behind the host belongs to a password, which must not be printed.
  const isCut = `${pathname}${search}${hash}`.includes("@");
  if ((protocol !== "postgres:" && protocol !== "postgresql:") || isCut) {
    throw new ConfigurationError(
      "invalid_config",
      "The url of a PostgreSQL ledger cannot be read. Write it as postgres://user:password@host:5432/database, " +
        "with special characters in user and password percent-encoded.",
    );
  }
  return `${host}${pathname}`;
};

/** Waits only for a server that is starting. */
const probeServer = async (postgres: Postgres): Promise<Row> => {
  const until = performance.now() + postgres.patienceMs;
  for (;;) {
    try {
      const client = await connectClient(postgres);
      const { rows } = await runQuery(
        client,
        "SELECT current_schema() AS schema, current_setting('server_encoding') AS encoding",
      ).finally(() => closeClient(client));
      return rows[0] ?? {};
    } catch (error) {
      if (!(error instanceof PostgresError && error.isStarting) || performance.now() > until) {
        throw toPostgresLedgerError(error, postgres.place);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};

const readSchema = ({ schema, encoding }: Row, place: string): string => {
  if (encoding !== "UTF8") {
    throw new LedgerError(
      "ledger_unavailable",
      `PostgreSQL at ${place}: the database is encoded in ${encoding}, which cannot store all text from models. Create one ` +
        "with ENCODING 'UTF8'.",
    );
  }
  if (typeof schema === "string") return schema;
  throw new LedgerError(
    "ledger_unavailable",
    `PostgreSQL at ${place}: no schema of the search_path exists, so tables cannot be created. Create one ` +
      "(CREATE SCHEMA …), or set the user's search_path.",
  );
};

/** PostgreSQL 14 or newer. */
export const openPostgresDatabase = async (options: PostgresOptions): Promise<Database> => {
  const { url, patienceMs = 10_000 } = options;
  const place = readUrlPlace(url);
  const postgres: Postgres = {
    pg: await loadPg(),
    url,
    place,
    patienceMs,
    toStatements: createStatementBuilder(() => !postgres.isPooled),
    isPooled: false,
  };
  const schema = readSchema(await probeServer(postgres), place);
  const { id, write, close: closeWriter } = createPostgresWriter(postgres, schema);
  const { read, close: closeReader } = createReadPool(postgres);
  const { hold, findGone, close: closePresence } = createOwnerLocks(postgres, schema, read);

  let closing: Promise<void> | undefined;
  const whileOpen = async <A>(work: () => Promise<A>): Promise<A> => {
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
    write: (script, options) => whileOpen(() => write(script, options)),
    read: (script) => whileOpen(() => read(script)),
    findGone: (owners) => whileOpen(() => findGone(owners)),
    hold: (owner) => whileOpen(() => hold(owner)),
    isRefusal: isPostgresValueError,
    alter: (statement, patienceMs) => whileOpen(() => createAlter(postgres)(statement, patienceMs)),
    reclaim: (options) => whileOpen(() => vacuumTables(postgres, options)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};

const vacuumedTables = ["records", "entries", "keys", "payloads", "approvals", "runs", "run_messages"];

/** A plain VACUUM blocks no one and needs only ownership of the tables. */
const vacuumTables = async (
  postgres: Postgres,
  { isStopped, isLast }: ReclaimOptions,
): Promise<ReclaimResult> => {
  if (!isLast) return nothingReclaimed;
  // VACUUM takes as long as the tables are large.
  const client = new postgres.pg.Client({ ...clientSettings(postgres), query_timeout: 0 }) as PostgresClient;
  // An unhandled error event would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    for (const table of vacuumedTables) {
      if (isStopped()) break;
      await runQuery(client, `VACUUM haft_${table}`);
    }
  } catch {
    // Autovacuum runs anyway.
  } finally {
    closeClient(client);
  }
  return nothingReclaimed;
};

/** VACUUM reports nothing. */
const nothingReclaimed: ReclaimResult = { freedBytes: 0, unreturnedBytes: 0 };

const lockNotAvailable = "55P03";
const insufficientPrivilege = "42501";

/** A separate connection with a short lock timeout, because all statements queue behind a waiting lock. */
const createAlter =
  (postgres: Postgres): NonNullable<Database["alter"]> =>
  async (statement, patienceMs) => {
    // Some statements need a session.
    if (postgres.isPooled) return "forbidden";
    const given = { ...clientSettings(postgres), lock_timeout: patienceMs, query_timeout: 0 };
    const client = ignoreConnectionErrors(new postgres.pg.Client(given) as PostgresClient);
    try {
      await client.connect();
      await runQuery(client, statement);
      return "done";
    } catch (error) {
      const trouble = error instanceof PostgresError ? error : new PostgresError(error);
      if (trouble.why.code === lockNotAvailable) return "busy";
      if (trouble.why.code === insufficientPrivilege) return "forbidden";
      throw toPostgresLedgerError(trouble, postgres.place);
    } finally {
      closeClient(client);
    }
  };

interface ReadPool {
  readonly read: Database["read"];
  readonly close: () => Promise<void>;
}

/**
 * Reads are short index lookups: no parallel workers, and no sequential scans from plans cached while tables
 * were empty.
 */
const beginReadSql = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0;
  SET LOCAL enable_seqscan = off`;

/** Each script reads one snapshot. */
const createReadPool = (postgres: Postgres): ReadPool => {
  const { keepTrying } = createRetrier(postgres.patienceMs);
  const pool = new postgres.pg.Pool({
    ...clientSettings(postgres),
    max: 4,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  pool.on("error", () => {});
  pool.on("connect", ignoreConnectionErrors);

  const attempt: Database["read"] = async (script) => {
    const client = await pool.connect().catch((error: unknown) => {
      throw new PostgresError(error);
    });
    try {
      const on = createStatementBatch(client);
      on.post(beginReadSql);
      const result = await runScript(on, postgres, script);
      // The next query queues behind the COMMIT.
      on.post("COMMIT");
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };

  return {
    read: (script) =>
      keepTrying(() => attempt(script)).catch((error: unknown) => {
        throw toPostgresLedgerError(error, postgres.place);
      }),
    close: () => pool.end(),
  };
};
