import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Redactor } from "../base/json/redact.ts";
import { nodeVersionProblem } from "../base/platform/node-version.ts";
import type { DurableLedger } from "../types/durable-ledger.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Database } from "./durable/database.ts";
import { dialectOf } from "./durable/dialect.ts";
import { createDurableLedger, type DurableLedgerOptions } from "./durable/durable-ledger.ts";
import type { LeaseTimings } from "./durable/leases/ledger-owners.ts";
import { requiresLedgerKey } from "./durable/migrations.ts";
import { readKeys, readOrCreateKeyFile } from "./durable/payloads/key-file.ts";
import { ledgerUnavailable } from "./ledger-errors.ts";

export interface OpenDurableLedgerOptions {
  readonly redactor: Redactor;
  /**
   * 32 bytes in base64 or hexadecimal; several separated by commas, newest first. Default: HAFT_LEDGER_KEY.
   */
  readonly key?: string | undefined;
  readonly keepPayloads?: boolean | undefined;
  /** Milliseconds to wait for a locked database. */
  readonly busyMs?: number | undefined;
  readonly readOnly?: boolean | undefined;
  /** For tests. */
  readonly times?: Partial<LeaseTimings> | undefined;
  readonly anchors?: DurableLedgerOptions["anchors"];
}

/** Opens `sqlite:./haft.db`, `sqlite::memory:` or `postgres://…`. */
export const openDurableLedger = async (
  place: string,
  options: OpenDurableLedgerOptions,
): Promise<DurableLedger> => {
  const { redactor, keepPayloads, readOnly, times, anchors } = options;
  const { database, ...found } = await openLedgerDatabase(place, options);
  return createDurableLedger(database, { redactor, keepPayloads, readOnly, times, anchors, ...found });
};

export interface LedgerDatabase {
  readonly database: Database;
  readonly keys: readonly Uint8Array[];
  readonly place: string;
  readonly blobs?: string;
  readonly keyFile?: string;
}

type LedgerDatabaseOptions = Pick<OpenDurableLedgerOptions, "key" | "busyMs" | "readOnly">;

export const openLedgerDatabase = async (
  place: string,
  options: LedgerDatabaseOptions,
): Promise<LedgerDatabase> => {
  if (place.startsWith("sqlite:")) return openSqlite(place.slice("sqlite:".length), options);
  if (/^postgres(?:ql)?:/.test(place)) return openPostgres(place, options);
  throw new ConfigurationError(
    "invalid_config",
    `Unknown ledger "${place.split(":")[0]}". Use "sqlite:./haft.db", "postgres://user@host/database", or "memory".`,
  );
};

const openSqlite = async (named: string, options: LedgerDatabaseOptions): Promise<LedgerDatabase> => {
  if (named === "") {
    throw new ConfigurationError(
      "invalid_config",
      'A SQLite ledger needs the path of its file: "sqlite:./haft.db".',
    );
  }
  const nodeProblem = nodeVersionProblem(process.versions.node);
  if (nodeProblem !== undefined) throw new ConfigurationError("invalid_config", nodeProblem);
  const { openSqliteDatabase: sqliteDatabase } = await import("./sqlite-database.ts");
  const { busyMs, readOnly = false } = options;
  const isInMemory = named === ":memory:";
  const path = isInMemory ? named : resolve(named);
  const given = configuredKeys(options);
  const database = sqliteDatabase({ path, readOnly, ...(busyMs === undefined ? {} : { busyMs }) });
  if (isInMemory) return { database, keys: given ?? [randomBytes(32)], place: `sqlite:${named}` };
  const keys = given ?? (await readAdjacentKeys(path, database, readOnly));
  const found = { database, keys, place: `sqlite:${named}`, blobs: `${path}.blobs` };
  return given === undefined && keys.length > 0 ? { ...found, keyFile: keyFilePath(path) } : found;
};

/** The first transaction creates the folder. */
const readAdjacentKeys = async (
  path: string,
  database: Database,
  readOnly: boolean,
): Promise<readonly Uint8Array[]> => {
  const file = keyFilePath(path);
  try {
    if (readOnly) return existsSync(file) ? readOrCreateKeyFile(file) : [];
    const isKeyed = await database.write(() => requiresLedgerKey(dialectOf(database)));
    // A new key would hide that the old one is missing.
    if (isKeyed && !existsSync(file)) throw keyFileMissingError(file);
    return readOrCreateKeyFile(file);
  } catch (error) {
    await database.close();
    throw error;
  }
};

const keyFilePath = (path: string): string => `${path}.key`;

const keyFileMissingError = (file: string) =>
  ledgerUnavailable(
    `The ledger has rows with MACs or encrypted texts, and the key file ${file} is missing. Restore it, or set HAFT_LEDGER_KEY to ` +
      "the key it was written with.",
  );

const openPostgres = async (url: string, options: LedgerDatabaseOptions): Promise<LedgerDatabase> => {
  const { busyMs } = options;
  const keys = configuredKeys(options) ?? [];
  const { openPostgresDatabase: postgresDatabase } = await import("./postgres-database.ts");
  const busyTimeout = busyMs === undefined ? {} : { patienceMs: busyMs };
  const database = await postgresDatabase({ url, ...busyTimeout });
  const { protocol, host, pathname } = new URL(url);
  return { database, keys, place: `${protocol}//${host}${pathname}` };
};

const configuredKeys = ({ key }: LedgerDatabaseOptions): readonly Uint8Array[] | undefined => {
  if (key !== undefined) return readKeys(key, "its option");
  const named = process.env.HAFT_LEDGER_KEY;
  return named === undefined || named === "" ? undefined : readKeys(named, "HAFT_LEDGER_KEY");
};
