import { openRpcChannel } from "../../../ledger/postgres-messaging/rpc.ts";
import {
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
} from "../../../ledger/postgres-messaging/shared-store.ts";
import type { ApprovalRequest } from "../../../types/approval.ts";
import type {
  McpSessionStore,
  PeerBroadcast,
  PeerHandler,
  PeerRequest,
  Peers,
  StoredMcpSession,
  WaitingCallStore,
} from "./peers.ts";

/** How long what was heard counts, as in one process, and how long rows are kept that nobody uses. */
const taintRetention = "1 hour";
const rowRetention = "2 days";

const sessionsTable = "haft_gateway_sessions";
const waitingTable = "haft_gateway_waiting";
const taintsTable = "haft_gateway_heard";

const createGatewayTables = async (store: SharedStore): Promise<void> => {
  await store.prepare(sessionsTable, [
    `CREATE TABLE ${sessionsTable} (id text PRIMARY KEY, sealed bytea NOT NULL, used_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX ${sessionsTable}_used ON ${sessionsTable} (used_at)`,
  ]);
  await store.prepare(waitingTable, [
    `CREATE TABLE ${waitingTable} (request text PRIMARY KEY, approval text NOT NULL, sealed bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX ${waitingTable}_approval ON ${waitingTable} (approval)`,
  ]);
  await store.prepare(taintsTable, [
    `CREATE TABLE ${taintsTable} (conversation text NOT NULL, taint text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (conversation, taint))`,
  ]);
  await store.ask(`DELETE FROM ${sessionsTable} WHERE used_at < now() - $1::interval`, [rowRetention]);
  await store.ask(`DELETE FROM ${waitingTable} WHERE at < now() - interval '30 days'`);
  await store.ask(`DELETE FROM ${taintsTable} WHERE at < now() - $1::interval`, [taintRetention]);
};

/** Gateways that share one PostgreSQL ledger, over tables beside it. */
export const openPostgresPeers = async (options: SharedStoreOptions): Promise<Peers> => {
  const store = await openSharedStore(options);
  try {
    return await createPeers(store);
  } catch (error) {
    await store.close();
    throw error;
  }
};

const createPeers = async (store: SharedStore): Promise<Peers> => {
  await createGatewayTables(store);
  const pendingHandler = Promise.withResolvers<PeerHandler>();
  let activeHandler: PeerHandler | undefined;
  const rpc = await openRpcChannel(store, {
    purpose: "gateway",
    answer: async (question) => (await pendingHandler.promise).answer(question as PeerRequest),
    told: (news) => activeHandler?.told(news as PeerBroadcast),
  });
  return {
    name: store.name,
    sessions: createSessionStore(store),
    waiting: createWaitingCallStore(store),
    heardIn: async (conversation) => {
      const rows = await store.ask(
        `UPDATE ${taintsTable} SET at = now() WHERE conversation = $1 AND at > now() - $2::interval RETURNING taint`,
        [store.digest(conversation), taintRetention],
      );
      return rows.map(({ taint }) => String(taint));
    },
    hear: async (conversation, taints) => {
      await store.ask(
        `INSERT INTO ${taintsTable} (conversation, taint) SELECT $1, unnest($2::text[])
         ON CONFLICT (conversation, taint) DO UPDATE SET at = now()`,
        [store.digest(conversation), taints],
      );
    },
    ask: rpc.ask,
    tellAll: rpc.tellAll,
    isGone: store.isGone,
    serve: (given) => {
      activeHandler = given;
      pendingHandler.resolve(given);
    },
    close: async () => {
      rpc.close();
      await store.close();
    },
  };
};

/** A row opens for its own id alone: nobody makes one up, or gives one session the caller of another. */
const createSessionStore = (store: SharedStore): McpSessionStore => ({
  keep: async (id, session) => {
    const sealed = store.seal(JSON.stringify(session), `session ${id}`);
    await store.ask(`INSERT INTO ${sessionsTable} (id, sealed) VALUES ($1, $2)`, [store.digest(id), sealed]);
  },
  find: async (id, idleMs) => {
    const [row] = await store.ask(
      `UPDATE ${sessionsTable} SET used_at = now() WHERE id = $1 AND used_at > now() - make_interval(secs => $2)
       RETURNING sealed`,
      [store.digest(id), idleMs / 1000],
    );
    const text = store.unseal(row?.sealed, `session ${id}`);
    return text === undefined ? undefined : (JSON.parse(text) as StoredMcpSession);
  },
  touch: async (id) => {
    await store.ask(`UPDATE ${sessionsTable} SET used_at = now() WHERE id = $1`, [store.digest(id)]);
  },
  drop: async (id) => {
    await store.ask(`DELETE FROM ${sessionsTable} WHERE id = $1`, [store.digest(id)]);
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
