import { randomUUID } from "node:crypto";
import type { SharedStore } from "./shared-store.ts";

export type RpcResult =
  | { readonly kind: "answered"; readonly answer: unknown }
  /** It may or may not have received the request. */
  | { readonly kind: "gone" };

export interface RpcChannel {
  /** Waits until the process answers or is gone. */
  readonly ask: (to: string, question: unknown, signal?: AbortSignal) => Promise<RpcResult>;
  /** At most about 5,000 characters. */
  readonly tellAll: (message: unknown) => Promise<void>;
  readonly close: () => void;
}

export interface RpcOptions {
  /** Messages of other purposes are ignored. */
  readonly purpose: string;
  readonly answer: (question: unknown, from: string) => Promise<unknown>;
  readonly told?: (message: unknown, from: string) => void;
}

const mailTable = "haft_mail";
const mailTableStatements = [
  `CREATE TABLE ${mailTable} (
    id text PRIMARY KEY, purpose text NOT NULL, recipient text NOT NULL, sender text NOT NULL,
    answers text, sealed bytea NOT NULL, at timestamptz NOT NULL DEFAULT now())`,
  `CREATE INDEX ${mailTable}_recipient ON ${mailTable} (recipient, purpose)`,
];
/** Notifications may be lost. */
const pollMs = 500;

interface PendingRequest {
  readonly to: string;
  readonly settle: (answer: RpcResult) => void;
  readonly fail: (error: unknown) => void;
}

export const openRpcChannel = async (
  store: SharedStore,
  { purpose, answer, told }: RpcOptions,
): Promise<RpcChannel> => {
  await store.prepare(mailTable, mailTableStatements);
  await store.ask(`DELETE FROM ${mailTable} WHERE at < now() - interval '1 day'`);
  const waiting = new Map<string, PendingRequest>();
  let isClosed = false;
  let polling: Promise<void> | undefined;
  let again = false;

  const sealName = (id: string, to: string, from: string, answers: string | null): string =>
    JSON.stringify(["mail", purpose, id, to, from, answers]);
  const send = async (id: string, to: string, body: unknown, answers: string | null): Promise<void> => {
    const sealed = store.seal(JSON.stringify({ body }), sealName(id, to, store.name, answers));
    await store.ask(
      `WITH sent AS (INSERT INTO ${mailTable} (id, purpose, recipient, sender, answers, sealed)
        VALUES ($1, $2, $3, $4, $5, $6))
       SELECT pg_notify($7, $8)`,
      [id, purpose, to, store.name, answers, sealed, store.channel, `mail ${to}`],
    );
  };
  const receive = async (): Promise<void> => {
    const rows = await store.ask(
      `DELETE FROM ${mailTable} WHERE recipient = $1 AND purpose = $2 RETURNING id, sender, answers, sealed`,
      [store.name, purpose],
    );
    for (const row of rows) {
      const [id, from] = [String(row.id), String(row.sender)];
      const answers = row.answers === null ? null : String(row.answers);
      const text = store.unseal(row.sealed, sealName(id, store.name, from, answers));
      if (text === undefined) continue;
      const { body } = JSON.parse(text) as { readonly body: unknown };
      if (answers === null) void reply(id, body, from);
      else waiting.get(answers)?.settle({ kind: "answered", answer: body });
    }
  };
  const reply = async (id: string, question: unknown, from: string): Promise<void> => {
    const said = await answer(question, from);
    // The requester may be gone.
    await send(randomUUID(), from, said, id).catch(() => {});
  };
  const poll = (): void => {
    if (isClosed) return;
    if (polling !== undefined) {
      again = true;
      return;
    }
    again = false;
    polling = receive()
      .catch(() => {})
      .finally(() => {
        polling = undefined;
        if (again) poll();
      });
  };
  const stop = store.hear((word) => {
    if (word === "" || word === `mail ${store.name}`) return poll();
    if (!word.startsWith(`all ${purpose} `)) return;
    const [, , from = "", sealed = ""] = word.split(" ");
    if (from === store.name) return;
    const text = store.unseal(Buffer.from(sealed, "base64"), JSON.stringify(["told", purpose, from]));
    if (text !== undefined) told?.(JSON.parse(text), from);
  });
  /** An answer may have been written before the process ended. */
  const settleIfGone = async (to: string): Promise<void> => {
    if (!(await store.isGone(to))) return;
    await receive();
    for (const each of waiting.values()) if (each.to === to) each.settle({ kind: "gone" });
  };
  const timer = setInterval(() => {
    poll();
    for (const to of new Set([...waiting.values()].map((each) => each.to)))
      void settleIfGone(to).catch(() => {});
  }, pollMs).unref();
  poll();

  return {
    ask: async (to, question, signal) => {
      if (await store.isGone(to)) return { kind: "gone" };
      const id = randomUUID();
      // The answer may arrive before sending has completed.
      const answered = new Promise<RpcResult>((resolve, reject) => {
        const over = (): void => {
          waiting.delete(id);
          signal?.removeEventListener("abort", abort);
        };
        const abort = (): void => {
          over();
          reject(signal?.reason);
        };
        waiting.set(id, {
          to,
          settle: (settled) => {
            over();
            resolve(settled);
          },
          fail: (error) => {
            over();
            reject(error);
          },
        });
        signal?.addEventListener("abort", abort, { once: true });
        if (signal?.aborted) abort();
      });
      send(id, to, question, null).catch((error) => waiting.get(id)?.fail(error));
      return answered;
    },
    tellAll: async (message) => {
      const sealed = store.seal(JSON.stringify(message), JSON.stringify(["told", purpose, store.name]));
      await store.tell(`all ${purpose} ${store.name} ${Buffer.from(sealed).toString("base64")}`);
    },
    close: () => {
      isClosed = true;
      stop();
      clearInterval(timer);
      for (const { fail } of waiting.values()) fail(new Error("This process is closing."));
    },
  };
};
