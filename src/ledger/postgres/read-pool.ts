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
 * Reads are short index lookups: no parallel workers, and no sequential scans from plans cached while tables
 * were empty.
 */
const beginReadSql = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0;
  SET LOCAL enable_seqscan = off`;

/** Each script reads one snapshot. */
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
