import type { Database } from "../durable/database.ts";
import { patience } from "./patience.ts";
import { ignoreConnectionErrors, type Postgres, settings } from "./session.ts";
import { runScript, talk } from "./talk.ts";
import { Trouble, toLedgerError } from "./trouble.ts";

export interface ReadPool {
  readonly read: Database["read"];
  readonly close: () => Promise<void>;
}

/**
 * What is asked is found by an index and is short: fetching other processes to help takes longer than the answer. The
 * plan of a statement is kept from when the tables were empty, when reading all of them would have been the fastest.
 */
const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0;
  SET LOCAL enable_seqscan = off`;

/** A few connections that read; each script sees one moment, whatever is written meanwhile. */
export const reader = (postgres: Postgres): ReadPool => {
  const { keepTrying } = patience(postgres.patienceMs);
  const pool = new postgres.pg.Pool({
    ...settings(postgres),
    max: 4,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  pool.on("error", () => {});
  pool.on("connect", ignoreConnectionErrors);

  const attempt: Database["read"] = async (script) => {
    const client = await pool.connect().catch((error: unknown) => {
      throw new Trouble(error);
    });
    try {
      const on = talk(client);
      on.post(begin);
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
        throw toLedgerError(error, postgres.place);
      }),
    close: () => pool.end(),
  };
};
