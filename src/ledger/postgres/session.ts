import { createHash } from "node:crypto";
import type { ClientBase, ClientConfig, Client as PgClient } from "pg";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { Row } from "../durable/database.ts";
import { PostgresError } from "./errors.ts";
import { type createStatementBuilder, type PgStatement, typeParsers } from "./statements.ts";

type Pg = typeof import("pg");

const purpose = "A ledger in PostgreSQL needs";

export const loadPg = async (): Promise<Pg> => {
  checkPackage("pg", purpose);
  return import("pg").catch(missingPackage("pg", purpose));
};

export interface Postgres {
  readonly pg: Pg;
  readonly url: string;
  readonly place: string;
  readonly patienceMs: number;
  readonly toStatements: ReturnType<typeof createStatementBuilder>;
  /** Behind a transaction pooler such as PgBouncer. */
  isPooled: boolean;
}

/** `ref` and `unref` are missing in the types of `pg`. */
export type PostgresClient = PgClient & { readonly ref: () => void; readonly unref: () => void };

/** An unhandled error event would end the process. */
export const ignoreConnectionErrors = <C extends ClientBase>(client: C): C => client.on("error", () => {});

/** A stalled process loses its locks before others time out. */
const timeoutSettings = ({ patienceMs }: Postgres) => ({
  lock_timeout: Math.max(1, patienceMs),
  idle_in_transaction_session_timeout: Math.max(1_000, Math.ceil(patienceMs / 2)),
});

/** For transaction poolers. */
export const settingsInTransaction = (postgres: Postgres): string =>
  postgres.isPooled
    ? Object.entries(timeoutSettings(postgres))
        .map(([name, ms]) => `SET LOCAL ${name} = ${ms};`)
        .concat(synchronousCommitSql("transaction"), "SET LOCAL enable_seqscan = off;")
        .join(" ")
    : "";

/** Otherwise a crash of PostgreSQL loses acknowledged rows. A stricter `remote_apply` is kept. */
const synchronousCommitSql = (within: "transaction" | "session"): string =>
  `SELECT set_config('synchronous_commit', 'on', ${within === "transaction"})
   WHERE current_setting('synchronous_commit') <> 'remote_apply';`;

export const clientSettings = (postgres: Postgres): ClientConfig => ({
  ...(postgres.isPooled ? {} : timeoutSettings(postgres)),
  ...commonSettings(postgres),
});

const commonSettings = ({ url, patienceMs }: Postgres): ClientConfig => ({
  connectionString: url,
  fallback_application_name: "haft",
  connectionTimeoutMillis: Math.max(1_000, patienceMs),
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  // For dead networks; far above the duration of any statement.
  query_timeout: Math.max(60_000, patienceMs * 6),
  // Sends statements without waiting for earlier answers.
  ...{ pipeline: true },
  types: typeParsers as unknown as NonNullable<ClientConfig["types"]>,
});

export const connectClient = async (postgres: Postgres): Promise<PostgresClient> => {
  const client = ignoreConnectionErrors(new postgres.pg.Client(clientSettings(postgres)) as PostgresClient);
  try {
    await client.connect();
    if (!postgres.isPooled) await client.query(`${synchronousCommitSql("session")} SET enable_seqscan = off`);
    return client;
  } catch (error) {
    closeClient(client);
    if (postgres.isPooled || !isPoolerError(error)) throw new PostgresError(error);
    postgres.isPooled = true;
    return connectClient(postgres);
  }
};

/** Transaction poolers refuse session settings. */
const isPoolerError = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("unsupported startup parameter");

export const closeClient = (client: PostgresClient): void => {
  client.end().catch(() => {});
};

export interface QueryResult {
  readonly rows: readonly Row[];
  readonly command: string;
  readonly rowCount?: number | null;
}

export const runQuery = async (client: ClientBase, statement: PgStatement | string): Promise<QueryResult> => {
  try {
    const results = (await client.query(statement as PgStatement)) as QueryResult | readonly QueryResult[];
    return "rows" in results ? results : (results.at(-1) as QueryResult);
  } catch (error) {
    throw new PostgresError(error);
  }
};

/** Advisory locks are shared by the whole database, so a hash avoids collisions. */
export const lockKey = (...names: readonly string[]): bigint =>
  createHash("sha256")
    .update(JSON.stringify(["haft", ...names]))
    .digest()
    .readBigInt64BE(0);
