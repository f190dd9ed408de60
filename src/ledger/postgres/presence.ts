import type { Database, Row } from "../durable/database.ts";
import { lockKey } from "./lock-key.ts";
import { patience } from "./patience.ts";
import { ask, type Client, connect, letGo, type Postgres } from "./session.ts";
import { toLedgerError } from "./trouble.ts";

export interface Presence {
  readonly hold: (owner: string) => Promise<void>;
  readonly isAlive: (owner: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

const returnMs = 100;
/** Whoever lost its connection is back by then, unless the server itself came up just now. */
const secondLookMs = 500;
const freshServerSeconds = 2;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Who is there holds a lock named after itself, on a connection of its own: the server lets go of it when the
 * process dies, however it dies. It is shared, so that one name may be held twice.
 */
export const presence = (postgres: Postgres, schema: string, read: Database["read"]): Presence => {
  const { keepTrying } = patience(postgres.patienceMs);
  const held = new Map<string, Client>();
  let isClosed = false;

  const take = async (owner: string): Promise<void> => {
    const client = await connect(postgres);
    client.once("end", () => {
      if (held.get(owner) === client) void retake(owner);
    });
    try {
      await ask(client, `SELECT pg_advisory_lock_shared(${lockKey("owner", schema, owner)})`);
    } catch (error) {
      letGo(client);
      throw error;
    }
    client.unref();
    held.set(owner, client);
    if (isClosed) letGo(client);
  };
  /** For as long as it takes: until then others may think that this process died. */
  const retake = async (owner: string): Promise<void> => {
    while (!isClosed) {
      const isBack = await take(owner).then(
        () => true,
        () => false,
      );
      if (isBack) return;
      await new Promise((resolve) => setTimeout(resolve, returnMs).unref());
    }
  };

  const look = async (owner: string): Promise<{ readonly isHeld: boolean; readonly isFresh: boolean }> => {
    const key = BigInt.asUintN(64, lockKey("owner", schema, owner));
    const row = await read(function* () {
      const rows: readonly Row[] = yield {
        sql: `SELECT extract(epoch FROM now() - pg_postmaster_start_time()) AS up, EXISTS (
            SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
            WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 1 AND granted
              AND classid = ? AND objid = ?) AS held`,
        values: [String(key >> 32n), String(key & 0xffff_ffffn)],
      };
      return rows[0];
    });
    return { isHeld: row?.held === 1, isFresh: Number(row?.up) < freshServerSeconds };
  };

  return {
    hold: async (owner) => {
      if (held.has(owner)) return;
      await keepTrying(() => take(owner)).catch((error: unknown) => {
        throw toLedgerError(error, postgres.place);
      });
    },
    isAlive: async (owner) => {
      if (held.has(owner)) return true;
      // Taking the lock to see whether it is free would make two who look at once think each other the owner.
      for (let looks = 1; ; looks += 1) {
        const { isHeld, isFresh } = await look(owner);
        if (isHeld) return true;
        if (looks > 1 && !isFresh) return false;
        await pause(secondLookMs);
      }
    },
    close: async () => {
      isClosed = true;
      const ending = [...held.values()].map((client) => {
        client.ref();
        return client.end().catch(() => {});
      });
      await Promise.all(ending);
    },
  };
};
