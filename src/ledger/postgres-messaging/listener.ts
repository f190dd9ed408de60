import type { Notification } from "pg";
import { lockKey } from "../postgres/lock-key.ts";
import {
  closeClient,
  connectClient,
  type Postgres,
  type PostgresClient,
  runQuery,
} from "../postgres/session.ts";

/** Reconnects when its connection is lost; notifications sent meanwhile are missed. */
export interface NotificationListener {
  readonly channel: string;
  readonly close: () => Promise<void>;
}

export interface NotificationListenerOptions {
  readonly schema: string;
  readonly heard: (word: string) => void;
}

const reconnectMs = 200;
const keepaliveSettings = [
  "tcp_keepalives_idle = 10",
  "tcp_keepalives_interval = 5",
  "tcp_keepalives_count = 3",
];

/** Channels are database-wide. */
const channelOf = (schema: string): string =>
  `haft_${BigInt.asUintN(64, lockKey("channel", schema)).toString(36)}`;

export const openNotificationListener = async (
  postgres: Postgres,
  { schema, heard }: NotificationListenerOptions,
): Promise<NotificationListener> => {
  const channel = channelOf(schema);
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
      if (isBack) return;
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
