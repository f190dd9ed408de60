import type { PgBoss } from "pg-boss";
import { checkFields } from "../base/json/check-fields.ts";
import { checkPackage, missingPackage } from "../base/platform/peer-packages.ts";
import { ConfigurationError } from "../types/errors.ts";

export interface QueueOptions {
  readonly url: string;
  readonly schema?: string | undefined;
  readonly connections?: number | undefined;
  /** Runs schedules and the maintenance of pg-boss. */
  readonly supervise?: boolean | undefined;
  readonly makesTables?: boolean | undefined;
  readonly onTrouble?: ((error: Error) => void) | undefined;
}

export type SqlRow = Readonly<Record<string, unknown>>;

export interface Queue {
  readonly boss: PgBoss;
  readonly schema: string;
  readonly sql: (text: string, values?: readonly unknown[]) => Promise<readonly SqlRow[]>;
  /** Uses a dedicated connection. `onNotice` is called without a payload after each reconnect. */
  readonly listen: (
    channel: string,
    onNotice: (payload: string | undefined) => void,
  ) => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
}

const queueFields: readonly (keyof QueueOptions)[] = [
  "url",
  "schema",
  "connections",
  "supervise",
  "makesTables",
  "onTrouble",
];

export const openQueue = async (options: QueueOptions): Promise<Queue> => {
  checkFields("The queue", options, queueFields);
  const { url, schema = defaultSchema, connections = 4, onTrouble = noop } = options;
  const { supervise = false, makesTables = true } = options;
  checkUrl(url);
  checkSchema(schema);
  checkPackage("pg-boss", "A fleet needs");
  const { PgBoss } = await import("pg-boss").catch(missingPackage("pg-boss", "A fleet needs"));
  const boss = new PgBoss({
    connectionString: url,
    application_name: "haft fleet",
    schema,
    max: connections,
    supervise,
    schedule: supervise,
    migrate: makesTables,
    createSchema: makesTables,
    cronMonitorIntervalSeconds: 10,
    cronWorkerIntervalSeconds: 2,
  });
  // Without a listener, an error of an idle connection would end the process.
  boss.on("error", onTrouble);
  boss.on("warning", noop);
  try {
    await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false }).catch(noop);
    throw error;
  }
  const database = boss.getDb();
  let closed: Promise<void> | undefined;
  return {
    boss,
    schema,
    sql: async (text, values = []) => (await database.executeSql(text, [...values])).rows as SqlRow[],
    listen: async (channel, onNotice) => {
      const handle = await database.listen?.(channel, onNotice, () => onNotice(undefined));
      return async () => {
        await handle?.close();
      };
    },
    close: () => {
      closed ??= boss.stop({ graceful: false, close: true });
      return closed;
    },
  };
};

export const defaultSchema = "haft_jobs";

/** The schema is inserted into SQL unescaped. */
const checkSchema = (schema: unknown): void => {
  if (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,49}$/.test(schema)) return;
  throw new ConfigurationError(
    "invalid_config",
    "`schema` must be the name of the queue's schema: a lower-case letter, then letters, digits and underscores, at most 50 characters.",
  );
};

export const isPostgresUrl = (url: unknown): url is string =>
  typeof url === "string" && /^postgres(?:ql)?:\/\//.test(url);

const checkUrl = (url: unknown): void => {
  if (isPostgresUrl(url)) return;
  throw new ConfigurationError(
    "invalid_config",
    'A fleet needs the PostgreSQL url of the ledger: "postgres://user@host/database".',
  );
};

const noop = (): void => {};
