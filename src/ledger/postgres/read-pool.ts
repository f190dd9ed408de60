import type { Database } from "../durable/database.ts";
import { PostgresError, toPostgresLedgerError } from "./errors.ts";
import { createRetrier } from "./retry.ts";
import { clientSettings, ignoreConnectionErrors, type Postgres } from "./session.ts";
import { createStatementBatch, runScript } from "./statement-batch.ts";

export interface ReadPool {
  readonly read: Database["read"];
  readonly close: () => Promise<void>;
}

/**
 * What is asked is found by an index and is short: fetching other processes to help takes longer than the answer. The
 * plan of a statement is kept from when the tables were empty, when reading all of them would have been the fastest.
 */
const beginReadSql = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0;
  SET LOCAL enable_seqscan = off`;

/** A few connections that read; each script sees one moment, whatever is written meanwhile. */
export const createReadPool = (postgres: Postgres): ReadPool => {
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
      // Whoever reads next on this connection comes behind it, so nobody waits for the answer.
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
