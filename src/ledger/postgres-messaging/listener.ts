import type { Notification } from "pg";
import { lockKey } from "../postgres/lock-key.ts";
import { ask, connect, letGo, type Postgres, type PostgresClient } from "../postgres/session.ts";

/** The one lasting connection of a member: by it others know that it is there, and it hears what they tell. */
export interface Line {
  readonly channel: string;
  readonly close: () => Promise<void>;
}

export interface LineOptions {
  readonly schema: string;
  readonly name: string;
  readonly heard: (word: string) => void;
  /** There again after it was lost: whatever was told meanwhile was not heard. */
  readonly returned: () => void;
}

const returnMs = 200;
const keepalives = ["tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3"];

/** A channel is of the whole database, so it has the schema in its name. */
export const channelOf = (schema: string): string =>
  `haft_${BigInt.asUintN(64, lockKey("channel", schema)).toString(36)}`;

/** The lock that a member holds on its line, as `pg_locks` shows it. */
export const memberLock = (schema: string, name: string) => {
  const key = lockKey("member", schema, name);
  const bits = BigInt.asUintN(64, key);
  return { key, high: Number(bits >> 32n), low: Number(bits & 0xffff_ffffn) };
};

export const openLine = async (
  postgres: Postgres,
  { schema, name, heard, returned }: LineOptions,
): Promise<Line> => {
  const channel = channelOf(schema);
  const { key } = memberLock(schema, name);
  let current: PostgresClient | undefined;
  let isClosed = false;

  const take = async (): Promise<void> => {
    const client = await connect(postgres);
    client.on("notification", ({ payload }: Notification) => heard(payload ?? ""));
    client.once("end", () => {
      if (current === client) void retake();
    });
    try {
      for (const each of keepalives) await ask(client, `SET ${each}`).catch(() => {});
      await ask(client, `SELECT pg_advisory_lock_shared(${key})`);
      await ask(client, `LISTEN ${channel}`);
    } catch (error) {
      letGo(client);
      throw error;
    }
    client.unref();
    current = client;
    if (isClosed) letGo(client);
  };
  const retake = async (): Promise<void> => {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, returnMs).unref());
      const isBack = await take().then(
        () => true,
        () => false,
      );
      if (isBack) return returned();
    }
  };
  await take();
  return {
    channel,
    close: async () => {
      isClosed = true;
      current?.ref();
      await current?.end().catch(() => {});
    },
  };
};
