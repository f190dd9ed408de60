import { randomUUID } from "node:crypto";
import type { Database, Script } from "../durable/database.ts";
import { lockKey } from "./lock-key.ts";
import { patience } from "./patience.ts";
import { ask, connect, letGo, type Postgres, type PostgresClient } from "./session.ts";
import { runScript, type Talk, talk } from "./talk.ts";
import { Trouble, toLedgerError } from "./trouble.ts";

export interface PostgresWriter {
  readonly write: Database["write"];
  readonly close: () => Promise<void>;
}

/** A commit that was sent and never answered. */
interface UnansweredCommit<A> {
  readonly number: number;
  readonly result: A;
}

/**
 * Every transaction leaves its number in its writer's row, so that after a lost COMMIT the row tells whether it came
 * to pass. `pg_xact_status` cannot: a server that crashed gives the same transaction id to somebody else.
 */
const createCommits = `
  CREATE TABLE IF NOT EXISTS haft_commits
    (writer text PRIMARY KEY, number int8 NOT NULL, at timestamptz NOT NULL) WITH (fillfactor = 50)`;
const pruneCommits = "DELETE FROM haft_commits WHERE at < now() - interval '7 days'; COMMIT";

/** One connection that writes, one transaction after the other; `schema` is where the tables are. */
export const writer = (postgres: Postgres, schema: string): PostgresWriter => {
  const { keepTrying } = patience(postgres.patienceMs);
  // One lock for all processes: the chain of hashes has one end, so there is nothing to be won by writing abreast.
  const lock = lockKey("write", schema);
  const id = randomUUID();
  let numbers = 0;
  let client: PostgresClient | undefined;
  let isPrepared = false;
  let last: Promise<unknown> = Promise.resolve();

  // Not even for speed is synchronous_commit off: a kill -9 of PostgreSQL would lose rows that were acknowledged.
  // A stricter `remote_apply` stays; `full` needs no more than this.
  // Each statement sees what was committed before it, so after the lock all that others wrote is there.
  const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') <> 'remote_apply'; SELECT pg_advisory_xact_lock(${lock})`;
  const commit = (number: number): string =>
    `INSERT INTO haft_commits VALUES ('${id}', ${number}, now())
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at; COMMIT`;

  const drop = (): void => {
    if (client !== undefined) letGo(client);
    client = undefined;
  };

  const prepare = async (on: PostgresClient): Promise<void> => {
    await ask(on, begin);
    const { rows } = await ask(
      on,
      "SELECT to_regclass(quote_ident(current_schema()) || '.haft_commits') IS NULL AS missing",
    );
    if (rows[0]?.missing === 1) await ask(on, createCommits);
    await ask(on, pruneCommits);
    isPrepared = true;
  };

  const connected = async (): Promise<PostgresClient> => {
    client ??= await connect(postgres);
    if (!isPrepared) await prepare(client);
    return client;
  };

  /** Whoever has the lock knows that the transaction in doubt is over, one way or the other. */
  const isKept = async (on: Talk, number: number): Promise<boolean> =>
    (await on.ask(`SELECT 1 FROM haft_commits WHERE writer = '${id}' AND number = ${number}`)).rows.length >
    0;

  const transaction = async <A>(script: () => Script<A>): Promise<A> => {
    let doubt: UnansweredCommit<A> | undefined;
    const attempt = async (): Promise<A> => {
      const writing = await connected();
      writing.ref();
      const on = talk(writing);
      const begun = on.post(begin);
      if (doubt !== undefined && (await isKept(on, doubt.number))) {
        await on.ask("ROLLBACK");
        return doubt.result;
      }
      doubt = undefined;
      const result = await runScript(on, postgres, script);
      // Only with the lock in hand does the COMMIT go out: were it lost before, it might come to pass after another
      // connection looked for it in vain.
      await begun;
      numbers += 1;
      const number = numbers;
      try {
        const { command } = await on.ask(commit(number));
        if (command !== "COMMIT")
          throw new Trouble({ message: `PostgreSQL answered COMMIT with ${command}` });
      } catch (error) {
        if (!(error as Trouble).isRefusal) doubt = { number, result };
        throw error;
      }
      return result;
    };
    try {
      return await keepTrying(() =>
        attempt().catch(async (error: unknown) => {
          await undo(error);
          throw error;
        }),
      );
    } catch (error) {
      throw toLedgerError(error, postgres.place, doubt !== undefined);
    } finally {
      // An open ledger alone keeps no process running.
      client?.unref();
    }
  };

  /** Back to no transaction; a connection that cannot do that is of no use. */
  const undo = async (error: unknown): Promise<void> => {
    const isUsable = !(error instanceof Trouble) || (error.isRefusal && !error.isPassing);
    if (!isUsable || client === undefined) return drop();
    await ask(client, "ROLLBACK").catch(drop);
  };

  return {
    write: (script) => {
      const mine = last.then(() => transaction(script));
      last = mine.catch(() => {});
      return mine;
    },
    close: async () => {
      await last;
      // Whoever waits for the farewell must be there to hear it.
      client?.ref();
      await client?.end().catch(() => {});
      client = undefined;
    },
  };
};
