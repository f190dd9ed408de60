import { randomUUID } from "node:crypto";
import type { SharedStore } from "./shared-store.ts";

/** What became of a question to another process. */
export type RpcResult =
  | { readonly kind: "answered"; readonly answer: unknown }
  /** It is not there any more. Whether it heard the question, nobody knows. */
  | { readonly kind: "gone" };

/** Messages between the processes of one store, sealed on their way. */
export interface RpcChannel {
  /** Puts a question to one other process and waits until it has answered or is gone. */
  readonly ask: (to: string, question: unknown, signal?: AbortSignal) => Promise<RpcResult>;
  /** Tells every other process that listens right now. At most some 5,000 characters. */
  readonly tellAll: (message: unknown) => Promise<void>;
  readonly close: () => void;
}

export interface RpcOptions {
  /** Messages of one purpose are nothing to another. */
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
/** Words may be lost, so the table is looked into all the same while somebody waits. */
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
      // Whoever cannot seal has nothing to say here.
      if (text === undefined) continue;
      const { body } = JSON.parse(text) as { readonly body: unknown };
      if (answers === null) void reply(id, body, from);
      else waiting.get(answers)?.settle({ kind: "answered", answer: body });
    }
  };
  const reply = async (id: string, question: unknown, from: string): Promise<void> => {
    const said = await answer(question, from);
    // Whoever asked and is gone needs no answer; one that cannot be written is as good as none.
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
  /** What it said before it went counts, so the table is looked into once more. */
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
      // Awaited before it is sent: an answer may be here before the sending is over.
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
