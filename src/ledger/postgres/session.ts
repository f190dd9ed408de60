import type { ClientBase, ClientConfig, Client as PgClient } from "pg";
import type { Row } from "../durable/database.ts";
import { PostgresError } from "./errors.ts";
import type { Pg } from "./load-pg.ts";
import type { createStatementBuilder, PgStatement } from "./statements.ts";
import { typeParsers } from "./type-parsers.ts";

export interface Postgres {
  readonly pg: Pg;
  readonly url: string;
  /** Host, port and database, as messages name them. */
  readonly place: string;
  readonly patienceMs: number;
  readonly toStatements: ReturnType<typeof createStatementBuilder>;
  /** A pool that gives out its connections by the transaction is between here and the server, as PgBouncer is. */
  isPooled: boolean;
}

/** With two of its methods that its types do not tell of. */
export type PostgresClient = PgClient & { readonly ref: () => void; readonly unref: () => void };

/** An `error` event that nobody listens to would end the process; whoever uses the client next meets the error anyway. */
export const ignoreConnectionErrors = <C extends ClientBase>(client: C): C => client.on("error", () => {});

/** A process that stalls in the middle of a write loses its locks before the others lose their patience. */
const timeoutSettings = ({ patienceMs }: Postgres) => ({
  lock_timeout: Math.max(1, patienceMs),
  idle_in_transaction_session_timeout: Math.max(1_000, Math.ceil(patienceMs / 2)),
});

/** What is said in each transaction where a connection cannot be told once and for all. */
export const settingsInTransaction = (postgres: Postgres): string =>
  postgres.isPooled
    ? Object.entries(timeoutSettings(postgres))
        .map(([name, ms]) => `SET LOCAL ${name} = ${ms};`)
        .concat(synchronousCommitSql("transaction"), "SET LOCAL enable_seqscan = off;")
        .join(" ")
    : "";

/**
 * Not even for speed is synchronous_commit off: a kill -9 of PostgreSQL would lose rows that were acknowledged. A
 * stricter `remote_apply` stays; `full` needs no more than this.
 */
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
  // For a network that swallows everything: far beyond what any statement takes.
  query_timeout: Math.max(60_000, patienceMs * 6),
  // Statements go out behind each other, without waiting for the answers in between.
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

/** A pool refuses settings that only a connection of one's own could keep. */
const isPoolerError = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("unsupported startup parameter");

/** Nobody waits for a farewell that may never be answered. */
export const closeClient = (client: PostgresClient): void => {
  client.end().catch(() => {});
};

export interface QueryResult {
  readonly rows: readonly Row[];
  readonly command: string;
  readonly rowCount?: number | null;
}

/** The rows of the last statement, if the text has several. */
export const runQuery = async (client: ClientBase, statement: PgStatement | string): Promise<QueryResult> => {
  try {
    const results = (await client.query(statement as PgStatement)) as QueryResult | readonly QueryResult[];
    return "rows" in results ? results : (results.at(-1) as QueryResult);
  } catch (error) {
    throw new PostgresError(error);
  }
};
