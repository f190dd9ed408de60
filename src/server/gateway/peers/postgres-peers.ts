import { openMail } from "../../ledger/beside/mail.ts";
import {
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
} from "../../ledger/beside/shared-store.ts";
import type { ApprovalRequest } from "../../words/approval.ts";
import type {
  PeerDesk,
  PeerNews,
  PeerQuestion,
  Peers,
  SharedSession,
  SharedSessions,
  SharedWaiting,
} from "./peers.ts";

/** How long what was heard counts, as in one process, and how long rows are kept that nobody uses. */
const heardFor = "1 hour";
const keptFor = "2 days";

const sessions = "haft_gateway_sessions";
const waiting = "haft_gateway_waiting";
const heard = "haft_gateway_heard";

const makeTables = async (store: SharedStore): Promise<void> => {
  await store.prepare(sessions, [
    `CREATE TABLE ${sessions} (id text PRIMARY KEY, sealed bytea NOT NULL, used_at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX ${sessions}_used ON ${sessions} (used_at)`,
  ]);
  await store.prepare(waiting, [
    `CREATE TABLE ${waiting} (request text PRIMARY KEY, approval text NOT NULL, sealed bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT now())`,
    `CREATE INDEX ${waiting}_approval ON ${waiting} (approval)`,
  ]);
  await store.prepare(heard, [
    `CREATE TABLE ${heard} (conversation text NOT NULL, taint text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (conversation, taint))`,
  ]);
  await store.ask(`DELETE FROM ${sessions} WHERE used_at < now() - $1::interval`, [keptFor]);
  await store.ask(`DELETE FROM ${waiting} WHERE at < now() - interval '30 days'`);
  await store.ask(`DELETE FROM ${heard} WHERE at < now() - $1::interval`, [heardFor]);
};

/** Gateways that share one PostgreSQL ledger, over tables beside it. */
export const openPeers = async (options: SharedStoreOptions): Promise<Peers> => {
  const store = await openSharedStore(options);
  try {
    return await peersOver(store);
  } catch (error) {
    await store.close();
    throw error;
  }
};

const peersOver = async (store: SharedStore): Promise<Peers> => {
  await makeTables(store);
  const desk = Promise.withResolvers<PeerDesk>();
  let serving: PeerDesk | undefined;
  const mail = await openMail(store, {
    purpose: "gateway",
    answer: async (question) => (await desk.promise).answer(question as PeerQuestion),
    told: (news) => serving?.told(news as PeerNews),
  });
  return {
    name: store.name,
    sessions: sharedSessions(store),
    waiting: sharedWaiting(store),
    heardIn: async (conversation) => {
      const rows = await store.ask(
        `UPDATE ${heard} SET at = now() WHERE conversation = $1 AND at > now() - $2::interval RETURNING taint`,
        [store.digest(conversation), heardFor],
      );
      return rows.map(({ taint }) => String(taint));
    },
    hear: async (conversation, taints) => {
      await store.ask(
        `INSERT INTO ${heard} (conversation, taint) SELECT $1, unnest($2::text[])
         ON CONFLICT (conversation, taint) DO UPDATE SET at = now()`,
        [store.digest(conversation), taints],
      );
    },
    ask: mail.ask,
    tellAll: mail.tellAll,
    isGone: store.isGone,
    serve: (given) => {
      serving = given;
      desk.resolve(given);
    },
    close: async () => {
      mail.close();
      await store.close();
    },
  };
};

/** A row opens for its own id alone: nobody makes one up, or gives one session the caller of another. */
const sharedSessions = (store: SharedStore): SharedSessions => ({
  keep: async (id, session) => {
    const sealed = store.seal(JSON.stringify(session), `session ${id}`);
    await store.ask(`INSERT INTO ${sessions} (id, sealed) VALUES ($1, $2)`, [store.digest(id), sealed]);
  },
  find: async (id, idleMs) => {
    const [row] = await store.ask(
      `UPDATE ${sessions} SET used_at = now() WHERE id = $1 AND used_at > now() - make_interval(secs => $2)
       RETURNING sealed`,
      [store.digest(id), idleMs / 1000],
    );
    const text = store.unseal(row?.sealed, `session ${id}`);
    return text === undefined ? undefined : (JSON.parse(text) as SharedSession);
  },
  touch: async (id) => {
    await store.ask(`UPDATE ${sessions} SET used_at = now() WHERE id = $1`, [store.digest(id)]);
  },
  drop: async (id) => {
    await store.ask(`DELETE FROM ${sessions} WHERE id = $1`, [store.digest(id)]);
  },
});

const sharedWaiting = (store: SharedStore): SharedWaiting => {
  const read = (key: string, sealed: unknown): ApprovalRequest | undefined => {
    const text = store.unseal(sealed, `waiting ${key}`);
    return text === undefined ? undefined : (JSON.parse(text) as ApprovalRequest);
  };
  const keep = async (key: string, approval: ApprovalRequest): Promise<void> => {
    await store.ask(
      `INSERT INTO ${waiting} (request, approval, sealed) VALUES ($1, $2, $3)
       ON CONFLICT (request) DO UPDATE SET approval = excluded.approval, sealed = excluded.sealed, at = now()`,
      [key, approval.id, store.seal(JSON.stringify(approval), `waiting ${key}`)],
    );
  };
  return {
    find: async (request) => {
      const key = store.digest(request);
      const [row] = await store.ask(`SELECT sealed FROM ${waiting} WHERE request = $1`, [key]);
      return read(key, row?.sealed);
    },
    keep: (request, approval) => keep(store.digest(request), approval),
    move: async (approvalId, to) => {
      const rows = await store.ask(`SELECT request, sealed FROM ${waiting} WHERE approval = $1`, [
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
      await store.ask(`DELETE FROM ${waiting} WHERE approval = $1`, [approvalId]);
    },
  };
};
