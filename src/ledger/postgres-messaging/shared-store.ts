import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Notification, Pool } from "pg";
import { ConfigurationError, LedgerError } from "../../types/errors.ts";
import { deriveKey, hmacSha256 } from "../durable/chain/chain-keys.ts";
import { readKeys } from "../durable/payloads/key-file.ts";
import { createVault } from "../durable/payloads/vault.ts";
import {
  clientSettings,
  closeClient,
  connectClient,
  ignoreConnectionErrors,
  loadPg,
  lockKey,
  type Postgres,
  type PostgresClient,
  runQuery,
} from "../postgres/session.ts";
import { createStatementBuilder } from "../postgres/statements.ts";

export type SharedRow = Readonly<Record<string, unknown>>;

/** PostgreSQL tables that several processes share, sealed with a key derived from the ledger's. */
export interface SharedStore {
  /** New with each start. */
  readonly name: string;
  readonly ask: (sql: string, values?: readonly unknown[]) => Promise<readonly SharedRow[]>;
  /** The first statement creates `table`. */
  readonly prepare: (table: string, statements: readonly string[]) => Promise<void>;
  /** `of` is authenticated: a text opens only for the same context. */
  readonly seal: (text: string, of: string) => Uint8Array;
  /** Undefined if the text was altered or sealed otherwise. */
  readonly unseal: (sealed: unknown, of: string) => string | undefined;
  readonly digest: (text: string) => string;
  readonly tell: (word: string) => Promise<void>;
  /** Includes its own. Notifications may be lost. */
  readonly hear: (listener: (word: string) => void) => () => void;
  readonly close: () => Promise<void>;
}

export interface SharedStoreOptions {
  readonly url: string;
  /** Default: HAFT_LEDGER_KEY. */
  readonly key?: string | undefined;
}

const retryForMs = 10_000;
const maxConnections = 4;

export const hasSharedKey = (key = process.env.HAFT_LEDGER_KEY): boolean => key !== undefined && key !== "";

export const openSharedStore = async (options: SharedStoreOptions): Promise<SharedStore> => {
  const { url, key = process.env.HAFT_LEDGER_KEY } = options;
  if (key === undefined || key === "") throw sharedKeyMissingError();
  const keys = readKeys(key, options.key === undefined ? "HAFT_LEDGER_KEY" : "its option");
  const sealVault = createVault(keys, undefined);
  const pg = await loadPg();
  const { host, pathname } = new URL(url);
  const postgres: Postgres = {
    pg,
    url,
    place: `${host}${pathname}`,
    patienceMs: retryForMs,
    toStatements: createStatementBuilder(() => false),
    isPooled: false,
  };
  const {
    pipeline: _,
    types: __,
    ...plain
  } = clientSettings(postgres) as ReturnType<typeof clientSettings> & {
    readonly pipeline?: boolean;
  };
  const pool: Pool = new pg.Pool({ ...plain, max: maxConnections, allowExitOnIdle: true });
  pool.on("error", () => {});
  pool.on("connect", ignoreConnectionErrors);
  const ask: SharedStore["ask"] = async (sql, values = []) => {
    try {
      return (await pool.query(sql, [...values])).rows as readonly SharedRow[];
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new LedgerError("ledger_unavailable", `PostgreSQL at ${postgres.place}: ${why}`, { cause });
    }
  };
  const name = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(6).toString("hex")}`.replaceAll(
    /[^\w-]/g,
    "-",
  );
  let closing: Promise<void> | undefined;
  const listeners = new Set<(word: string) => void>();
  const onMessage = (word: string): void => {
    for (const listener of listeners) listener(word);
  };
  try {
    const [found] = await ask("SELECT current_schema() AS schema");
    const schema = String(found?.schema);
    const notifications = await openNotificationListener(postgres, {
      schema,
      heard: onMessage,
    });
    if (postgres.isPooled) {
      await notifications.close();
      throw pooledConnectionError(postgres.place);
    }
    return {
      name,
      ask,
      prepare: (table, made) => createTableOnce(pool, ask, { schema, table, made }),
      seal: (text, of) => sealVault.seal(text, `beside ${of}`)![0] as Uint8Array,
      unseal: (sealed, of) => {
        if (!(sealed instanceof Uint8Array)) return undefined;
        try {
          return sealVault.unseal([sealed, null], `beside ${of}`);
        } catch {
          return undefined;
        }
      },
      digest: hmacSha256(deriveKey(keys[0]!, "beside digest", 32)),
      tell: async (word) => void (await ask("SELECT pg_notify($1, $2)", [notifications.channel, word])),
      hear: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      close: () => {
        closing ??= notifications.close().then(() => pool.end());
        return closing;
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
};

/** Reconnects when its connection is lost; notifications sent meanwhile are missed. */
interface NotificationListener {
  readonly channel: string;
  readonly close: () => Promise<void>;
}

interface NotificationListenerOptions {
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

const openNotificationListener = async (
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

interface TableDefinition {
  readonly schema: string;
  readonly table: string;
  readonly made: readonly string[];
}

/** A role without CREATE uses the existing table. */
const createTableOnce = async (
  pool: Pool,
  ask: SharedStore["ask"],
  { schema, table, made }: TableDefinition,
): Promise<void> => {
  const isMade = async (): Promise<boolean> =>
    (await ask("SELECT 1 AS made FROM pg_tables WHERE schemaname = $1 AND tablename = $2", [schema, table]))
      .length > 0;
  if (await isMade()) return;
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(`SELECT pg_advisory_xact_lock(${lockKey("tables", schema)})`);
    if (!(await isMade())) for (const sql of made) await client.query(sql);
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => {});
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LedgerError("ledger_unavailable", `The table ${table} cannot be made: ${why}`, { cause });
  } finally {
    client.release();
  }
};

/** Notifications need a session. */
const pooledConnectionError = (place: string): LedgerError =>
  new LedgerError(
    "ledger_unavailable",
    `PostgreSQL at ${place} is behind a pooler in transaction mode. Processes notify each other over ` +
      "connections of their own: name the server itself, or a pool in session mode.",
  );

const sharedKeyMissingError = (): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    "Shared data is encrypted with the ledger's key, and no key is set. Set HAFT_LEDGER_KEY to the same 32 bytes " +
      "for all of them; this makes some: openssl rand -base64 32",
  );
