import { randomUUID } from "node:crypto";
import type { Database, Script, WriteOptions } from "../durable/database.ts";
import { createRetrier, PostgresError, toPostgresLedgerError } from "./errors.ts";
import {
  closeClient,
  connectClient,
  lockKey,
  type Postgres,
  type PostgresClient,
  runQuery,
  settingsInTransaction,
} from "./session.ts";
import { createStatementBatch, runScript } from "./statement-batch.ts";

export interface PostgresWriter {
  /** Raising its fence invalidates its pending transactions. */
  readonly id: string;
  readonly write: Database["write"];
  readonly close: () => Promise<void>;
}

interface UnansweredCommit<A> {
  readonly number: number;
  readonly result: A;
}

/**
 * Every transaction stores its number in the writer's row, which shows after a lost COMMIT whether it was
 * applied. `pg_xact_status` cannot: a crashed server may reuse transaction ids. The check raises the fence
 * first, so that a COMMIT in transit fails.
 */
const createCommitsSql = `
  CREATE TABLE IF NOT EXISTS haft_commits
    (writer text PRIMARY KEY, number int8 NOT NULL, at timestamptz NOT NULL) WITH (fillfactor = 50);
  ALTER TABLE haft_commits ADD COLUMN IF NOT EXISTS fence int8 NOT NULL DEFAULT 0; COMMIT`;
const hasCommitsSql = `SELECT 1 FROM pg_attribute WHERE attname = 'fence' AND NOT attisdropped
  AND attrelid = to_regclass(quote_ident(current_schema()) || '.haft_commits')`;

/** Indexing a large table takes long. */
const exclusiveTimeoutMs = 6 * 3_600_000;

export const createPostgresWriter = (postgres: Postgres, schema: string): PostgresWriter => {
  const { keepTrying } = createRetrier(postgres.patienceMs);
  const lock = lockKey("write", schema);
  const id = randomUUID();
  let committed = 0;
  let fence = 0;
  let client: PostgresClient | undefined;
  let isPrepared = false;
  let last: Promise<unknown> = Promise.resolve();

  // After taking a lock, everything that others wrote is visible.
  const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${settingsInTransaction(postgres)}`;
  const beginAlone = `${begin} SELECT pg_advisory_xact_lock(${lock})`;
  const commit = (number: number): string =>
    `WITH kept AS (UPDATE haft_commits SET number = ${number}, at = now()
       WHERE writer = '${id}' AND number = ${number - 1} AND fence = ${fence} RETURNING 1)
     SELECT 1 / count(*) FROM kept; COMMIT`;

  const drop = (): void => {
    if (client !== undefined) closeClient(client);
    client = undefined;
  };

  const prepare = async (connection: PostgresClient): Promise<void> => {
    if ((await runQuery(connection, hasCommitsSql)).rows.length === 0)
      await runQuery(connection, `${beginAlone}; ${createCommitsSql}`);
    await runQuery(
      connection,
      `INSERT INTO haft_commits (writer, number, at, fence) VALUES ('${id}', ${committed}, now(), ${fence})
       ON CONFLICT (writer) DO NOTHING; DELETE FROM haft_commits WHERE at < now() - interval '7 days'`,
    );
    const { rows } = await runQuery(
      connection,
      `SELECT number, fence FROM haft_commits WHERE writer = '${id}'`,
    );
    committed = Number(rows[0]?.number ?? committed);
    fence = Number(rows[0]?.fence ?? fence);
    isPrepared = true;
  };

  const connected = async (): Promise<PostgresClient> => {
    client ??= await connectClient(postgres);
    if (!isPrepared) await prepare(client);
    return client;
  };

  /** Raises the fence, so that it cannot be applied later. */
  const isCommitted = async (connection: PostgresClient, number: number): Promise<boolean> => {
    const { rows } = await runQuery(
      connection,
      `UPDATE haft_commits SET fence = fence + 1 WHERE writer = '${id}' RETURNING number, fence`,
    );
    const [row] = rows;
    if (row === undefined) {
      isPrepared = false;
      await prepare(connection);
      return false;
    }
    fence = Number(row.fence);
    committed = Number(row.number);
    return committed === number;
  };

  const transaction = async <A>(script: () => Script<A>, { alone = false }: WriteOptions): Promise<A> => {
    let unansweredCommit: UnansweredCommit<A> | undefined;
    const attempt = async (): Promise<A> => {
      const writing = await connected();
      writing.ref();
      if (unansweredCommit !== undefined && (await isCommitted(writing, unansweredCommit.number)))
        return unansweredCommit.result;
      unansweredCommit = undefined;
      const connection = createStatementBatch(writing, alone ? exclusiveTimeoutMs : undefined);
      connection.post(alone ? beginAlone : begin);
      const result = await runScript(connection, postgres, script);
      const number = committed + 1;
      try {
        const { command } = await connection.ask(commit(number));
        if (command !== "COMMIT")
          throw new PostgresError({ message: `PostgreSQL answered COMMIT with ${command}` });
      } catch (error) {
        if (!(error as PostgresError).isRefusal) unansweredCommit = { number, result };
        // Fenced, or unused for a week: prepare again.
        else if (connection.isLast(error)) isPrepared = false;
        throw error;
      }
      committed = number;
      return result;
    };
    try {
      return await keepTrying(() =>
        attempt().catch(async (error: unknown) => {
          await rollBack(error);
          throw error;
        }),
      );
    } catch (error) {
      throw toPostgresLedgerError(error, postgres.place, unansweredCommit !== undefined);
    } finally {
      // An open ledger does not keep the process running.
      client?.unref();
    }
  };

  const rollBack = async (error: unknown): Promise<void> => {
    const isUsable = !(error instanceof PostgresError) || (error.isRefusal && !error.isPassing);
    if (!isUsable || client === undefined) return drop();
    await runQuery(client, "ROLLBACK").catch(drop);
  };

  return {
    id,
    write: (script, options = {}) => {
      const mine = last.then(() => transaction(script, options));
      last = mine.catch(() => {});
      return mine;
    },
    close: async () => {
      await last;
      // Keeps the process alive until the connection is closed.
      client?.ref();
      if (client !== undefined && isPrepared) {
        await runQuery(client, `DELETE FROM haft_commits WHERE writer = '${id}'`).catch(() => {});
      }
      await client?.end().catch(() => {});
      client = undefined;
    },
  };
};
