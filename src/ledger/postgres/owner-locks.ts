import type { Database, Row } from "../durable/database.ts";
import { toPostgresLedgerError } from "./errors.ts";
import { lockKey } from "./lock-key.ts";
import { createRetrier } from "./retry.ts";
import { closeClient, connectClient, type Postgres, type PostgresClient, runQuery } from "./session.ts";

export interface OwnerLocks {
  readonly hold: (owner: string) => Promise<void>;
  readonly findGone: (owners: readonly string[]) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

const noOwnerLocks: OwnerLocks = {
  hold: () => Promise.resolve(),
  findGone: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

const reconnectMs = 100;
/** While the server came up just now, nobody can be expected to be back. */
const freshServerSeconds = 2;
/** The server notices within half a minute that a worker vanished without a word. It may refuse to be told so. */
const keepaliveSettings = [
  "tcp_keepalives_idle = 10",
  "tcp_keepalives_interval = 5",
  "tcp_keepalives_count = 3",
];

const locksSql = `
  SELECT classid, objid FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
  WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 1 AND granted`;
const upSql = "SELECT extract(epoch FROM now() - pg_postmaster_start_time()) AS up";

/**
 * Who is there holds a lock named after itself, on a connection of its own: the server lets go of it soon after the
 * process died. It is shared, so that one name may be held twice. Whoever is not there may come back, so this is only
 * an early sign; the lease in the table of owners decides.
 */
export const createOwnerLocks = (postgres: Postgres, schema: string, read: Database["read"]): OwnerLocks => {
  // Behind a pool a lock would belong to whoever has the connection next: there the lease alone decides.
  if (postgres.isPooled) return noOwnerLocks;
  const { keepTrying } = createRetrier(postgres.patienceMs);
  const held = new Map<string, PostgresClient>();
  let isClosed = false;

  const connectOwner = async (owner: string): Promise<void> => {
    const client = await connectClient(postgres);
    client.once("end", () => {
      if (held.get(owner) === client) void reconnectOwner(owner);
    });
    try {
      for (const each of keepaliveSettings) await runQuery(client, `SET ${each}`).catch(() => {});
      await runQuery(client, `SELECT pg_advisory_lock_shared(${lockKey("owner", schema, owner)})`);
    } catch (error) {
      closeClient(client);
      throw error;
    }
    client.unref();
    held.set(owner, client);
    if (isClosed) closeClient(client);
  };
  /** For as long as it takes: until then others may think that this process died. */
  const reconnectOwner = async (owner: string): Promise<void> => {
    while (!isClosed) {
      const isBack = await connectOwner(owner).then(
        () => true,
        () => false,
      );
      if (isBack) return;
      await new Promise((resolve) => setTimeout(resolve, reconnectMs).unref());
    }
  };

  /** Taking a lock to see whether it is free would make two who look at once think each other the owner. */
  const readLocks = (): Promise<{ readonly locks: ReadonlySet<string>; readonly isFresh: boolean }> =>
    read(function* () {
      const [server] = yield { sql: upSql, values: [] };
      const rows: readonly Row[] = yield { sql: locksSql, values: [] };
      const locks = new Set(rows.map(({ classid, objid }) => `${classid} ${objid}`));
      return { locks, isFresh: Number(server?.up) < freshServerSeconds };
    });
  const lockName = (owner: string): string => {
    const key = BigInt.asUintN(64, lockKey("owner", schema, owner));
    return `${key >> 32n} ${key & 0xffff_ffffn}`;
  };

  return {
    hold: async (owner) => {
      if (held.has(owner)) return;
      await keepTrying(() => connectOwner(owner)).catch((error: unknown) => {
        throw toPostgresLedgerError(error, postgres.place);
      });
    },
    findGone: async (owners) => {
      const { locks, isFresh } = await readLocks();
      if (isFresh) return [];
      return owners.filter((owner) => !held.has(owner) && !locks.has(lockName(owner)));
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
