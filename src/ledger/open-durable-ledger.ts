import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Redactor } from "../json/redact.ts";
import type { DurableLedger } from "../words/durable-ledger.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Database } from "./durable/database.ts";
import { dialectOf } from "./durable/dialect.ts";
import { type DurableLedgerOptions, durableLedger } from "./durable/durable-ledger.ts";
import { needsItsKey } from "./durable/migrations.ts";
import type { PresenceTimes } from "./durable/owners/presence-times.ts";
import { keyFile, readKeys } from "./durable/payloads/key.ts";
import { unavailable } from "./refusals.ts";

export { type DurableLedgerOptions, durableLedger } from "./durable/durable-ledger.ts";

export interface OpenLedgerOptions {
  readonly redactor: Redactor;
  /**
   * 32 bytes in base64 or hexadecimal, for MACs of rows and to seal exact texts with; several are separated by commas,
   * newest first. HAFT_LEDGER_KEY of the environment unless named.
   */
  readonly key?: string | undefined;
  /** Exact texts stay after their run, until they are pruned. */
  readonly keepPayloads?: boolean | undefined;
  /** How long a locked database is waited for. */
  readonly busyMs?: number | undefined;
  /** Leaves everything as it is: nothing is made, nobody is registered, and whatever would write fails. */
  readonly readOnly?: boolean | undefined;
  /** How the living are told from the dead, where it must go faster than usual. */
  readonly times?: Partial<PresenceTimes> | undefined;
  readonly anchors?: DurableLedgerOptions["anchors"];
}

/** Opens `sqlite:./haft.db`, `sqlite::memory:` or `postgres://…`. */
export const openDurableLedger = async (
  place: string,
  options: OpenLedgerOptions,
): Promise<DurableLedger> => {
  const { redactor, keepPayloads, readOnly, times, anchors } = options;
  const { database, ...found } = await openPlace(place, options);
  return durableLedger(database, { redactor, keepPayloads, readOnly, times, anchors, ...found });
};

/** A database with what belongs to it, before anybody looked whether a ledger is in it. */
export interface OpenedPlace {
  readonly database: Database;
  readonly keys: readonly Uint8Array[];
  /** Without a password. */
  readonly place: string;
  readonly blobs?: string;
}

type PlaceOptions = Pick<OpenLedgerOptions, "key" | "busyMs" | "readOnly">;

/** Finds the database that a place names, and its keys. */
export const openPlace = async (place: string, options: PlaceOptions): Promise<OpenedPlace> => {
  if (place.startsWith("sqlite:")) return openSqlite(place.slice("sqlite:".length), options);
  if (/^postgres(?:ql)?:/.test(place)) return openPostgres(place, options);
  throw new ConfigurationError(
    "invalid_config",
    `There is no ledger "${place.split(":")[0]}". Use "sqlite:./haft.db", "postgres://user@host/database", or "memory".`,
  );
};

const openSqlite = async (named: string, options: PlaceOptions): Promise<OpenedPlace> => {
  if (named === "") {
    throw new ConfigurationError(
      "invalid_config",
      'A SQLite ledger is named with its file: "sqlite:./haft.db".',
    );
  }
  const { sqliteDatabase } = await import("./sqlite.ts");
  const { busyMs, readOnly = false } = options;
  const isInMemory = named === ":memory:";
  const path = isInMemory ? named : resolve(named);
  const given = keysOf(options);
  const database = sqliteDatabase({ path, readOnly, ...(busyMs === undefined ? {} : { busyMs }) });
  const keys = given ?? (isInMemory ? [randomBytes(32)] : await keysBeside(path, database, readOnly));
  return { database, keys, place: `sqlite:${named}`, ...(isInMemory ? {} : { blobs: `${path}.blobs` }) };
};

/** The first transaction makes the folder, so that the key can be put beside the file. */
const keysBeside = async (
  path: string,
  database: Database,
  readOnly: boolean,
): Promise<readonly Uint8Array[]> => {
  const file = `${path}.key`;
  try {
    if (readOnly) return existsSync(file) ? keyFile(file) : [];
    const isKeyed = await database.write(() => needsItsKey(dialectOf(database)));
    // A new key would open nothing that was sealed and follow no row, and hide that the old one is gone.
    if (isKeyed && !existsSync(file)) throw keyMissing(file);
    return keyFile(file);
  } catch (error) {
    await database.close();
    throw error;
  }
};

const keyMissing = (file: string) =>
  unavailable(
    `The ledger has rows with MACs or texts that were sealed, and the key file ${file} is missing. Put it back, or set HAFT_LEDGER_KEY to ` +
      "the key it was written with.",
  );

const openPostgres = async (url: string, options: PlaceOptions): Promise<OpenedPlace> => {
  const { busyMs } = options;
  const keys = keysOf(options) ?? [];
  const { postgresDatabase } = await import("./postgres.ts");
  const patience = busyMs === undefined ? {} : { patienceMs: busyMs };
  const database = await postgresDatabase({ url, ...patience });
  const { protocol, host, pathname } = new URL(url);
  return { database, keys, place: `${protocol}//${host}${pathname}` };
};

const keysOf = ({ key }: PlaceOptions): readonly Uint8Array[] | undefined => {
  if (key !== undefined) return readKeys(key, "its option");
  const named = process.env.HAFT_LEDGER_KEY;
  return named === undefined || named === "" ? undefined : readKeys(named, "HAFT_LEDGER_KEY");
};
