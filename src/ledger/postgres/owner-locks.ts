import type { Database, Row } from "../durable/database.ts";
import { createRetrier, toPostgresLedgerError } from "./errors.ts";
import {
  closeClient,
  connectClient,
  lockKey,
  type Postgres,
  type PostgresClient,
  runQuery,
} from "./session.ts";

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
/** Others may not have reconnected yet. */
const freshServerSeconds = 2;
/** Detects a vanished client within half a minute. The server may refuse these settings. */
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
 * A shared advisory lock per owner, released by the server when the process dies. Only an early sign; the
 * lease decides.
 */
export const createOwnerLocks = (postgres: Postgres, schema: string, read: Database["read"]): OwnerLocks => {
  // A transaction pooler makes session locks meaningless.
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
  /** Until then others may consider this process dead. */
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

  /** Probing by taking the lock would make two observers see each other as the owner. */
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
