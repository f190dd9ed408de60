import {
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
} from "../../ledger/postgres-messaging/shared-store.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { SharedTaints } from "./conversation-taints.ts";
import type { WaitingCallStore } from "./waiting-calls.ts";

export interface PostgresClientState {
  readonly taints: SharedTaints;
  readonly waiting: WaitingCallStore;
  readonly close: () => Promise<void>;
}

const taintRetention = "1 hour";
const waitingRetention = "30 days";

const waitingTable = "haft_gateway_waiting";
const taintsTable = "haft_gateway_taints";

const createTables = async (store: SharedStore): Promise<void> => {
  await store.prepare(waitingTable, [
    `CREATE TABLE ${waitingTable} (request text PRIMARY KEY, approval text NOT NULL, sealed bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX ${waitingTable}_approval ON ${waitingTable} (approval)`,
  ]);
  await store.prepare(taintsTable, [
    `CREATE TABLE ${taintsTable} (caller text NOT NULL, gateway text NOT NULL, taint text NOT NULL,
      at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (caller, gateway, taint))`,
  ]);
  await store.ask(`DELETE FROM ${waitingTable} WHERE at < now() - $1::interval`, [waitingRetention]);
  await store.ask(`DELETE FROM ${taintsTable} WHERE at < now() - $1::interval`, [taintRetention]);
};

export const openPostgresClientState = async (options: SharedStoreOptions): Promise<PostgresClientState> => {
  const store = await openSharedStore(options);
  try {
    await createTables(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return { taints: createSharedTaints(store), waiting: createWaitingCallStore(store), close: store.close };
};

const createSharedTaints = (store: SharedStore): SharedTaints => ({
  readOfOthers: async (caller) => {
    const rows = await store.ask(
      `SELECT DISTINCT taint FROM ${taintsTable}
       WHERE caller = $1 AND gateway <> $2 AND at > now() - $3::interval`,
      [store.digest(caller), store.name, taintRetention],
    );
    return rows.map(({ taint }) => String(taint));
  },
  add: async (caller, taints) => {
    await store.ask(
      `INSERT INTO ${taintsTable} (caller, gateway, taint) SELECT $1, $2, unnest($3::text[])
       ON CONFLICT (caller, gateway, taint) DO UPDATE SET at = now()`,
      [store.digest(caller), store.name, taints],
    );
  },
});

const createWaitingCallStore = (store: SharedStore): WaitingCallStore => {
  const read = (key: string, sealed: unknown): ApprovalRequest | undefined => {
    const text = store.unseal(sealed, `waiting ${key}`);
    return text === undefined ? undefined : (JSON.parse(text) as ApprovalRequest);
  };
  const keep = async (key: string, approval: ApprovalRequest): Promise<void> => {
    await store.ask(
      `INSERT INTO ${waitingTable} (request, approval, sealed) VALUES ($1, $2, $3)
       ON CONFLICT (request) DO UPDATE SET approval = excluded.approval, sealed = excluded.sealed, at = now()`,
      [key, approval.id, store.seal(JSON.stringify(approval), `waiting ${key}`)],
    );
  };
  return {
    find: async (request) => {
      const key = store.digest(request);
      const [row] = await store.ask(`SELECT sealed FROM ${waitingTable} WHERE request = $1`, [key]);
      return read(key, row?.sealed);
    },
    keep: (request, approval) => keep(store.digest(request), approval),
    move: async (approvalId, to) => {
      const rows = await store.ask(`SELECT request, sealed FROM ${waitingTable} WHERE approval = $1`, [
        approvalId,
      ]);
      if (approvalId === to.id) {
        const [row] = rows;
        return (row === undefined ? undefined : read(String(row.request), row.sealed)) ?? to;
      }
      for (const { request } of rows) await keep(String(request), to);
      return to;
    },
    drop: async (approvalId) => {
      await store.ask(`DELETE FROM ${waitingTable} WHERE approval = $1`, [approvalId]);
    },
  };
};
