import type { Notification } from "pg";
import { lockKey } from "../postgres/lock-key.ts";
import {
  closeClient,
  connectClient,
  type Postgres,
  type PostgresClient,
  runQuery,
} from "../postgres/session.ts";

/** Receives notifications; its lock shows that the member is alive. */
export interface NotificationListener {
  readonly channel: string;
  readonly close: () => Promise<void>;
}

export interface NotificationListenerOptions {
  readonly schema: string;
  readonly name: string;
  readonly heard: (word: string) => void;
  /** Notifications sent meanwhile were missed. */
  readonly returned: () => void;
}

const reconnectMs = 200;
const keepaliveSettings = [
  "tcp_keepalives_idle = 10",
  "tcp_keepalives_interval = 5",
  "tcp_keepalives_count = 3",
];

/** Channels are database-wide. */
export const channelOf = (schema: string): string =>
  `haft_${BigInt.asUintN(64, lockKey("channel", schema)).toString(36)}`;

export const memberLock = (schema: string, name: string) => {
  const key = lockKey("member", schema, name);
  const bits = BigInt.asUintN(64, key);
  return { key, high: Number(bits >> 32n), low: Number(bits & 0xffff_ffffn) };
};

export const openNotificationListener = async (
  postgres: Postgres,
  { schema, name, heard, returned }: NotificationListenerOptions,
): Promise<NotificationListener> => {
  const channel = channelOf(schema);
  const { key } = memberLock(schema, name);
  let current: PostgresClient | undefined;
  let isClosed = false;

  const connectListener = async (): Promise<void> => {
    const client = await connectClient(postgres);
    client.on("notification", ({ payload }: Notification) => heard(payload ?? ""));
    client.once("end", () => {
      if (current === client) void reconnect();
    });
    try {
      for (const each of keepaliveSettings) await runQuery(client, `SET ${each}`).catch(() => {});
      await runQuery(client, `SELECT pg_advisory_lock_shared(${key})`);
      await runQuery(client, `LISTEN ${channel}`);
    } catch (error) {
      closeClient(client);
      throw error;
    }
    client.unref();
    current = client;
    if (isClosed) closeClient(client);
  };
  const reconnect = async (): Promise<void> => {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, reconnectMs).unref());
      const isBack = await connectListener().then(
        () => true,
        () => false,
      );
      if (isBack) return returned();
    }
  };
  await connectListener();
  return {
    channel,
    close: async () => {
      isClosed = true;
      current?.ref();
      await current?.end().catch(() => {});
    },
  };
};
