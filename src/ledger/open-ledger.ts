import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { Redactor } from "../json/redact.ts";
import type { DurableLedger } from "../words/durable-ledger.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Database } from "./durable/database.ts";
import { durableLedger } from "./durable/durable-ledger.ts";
import { keyFile, readKey } from "./durable/payloads/key.ts";

export { type DurableLedgerOptions, durableLedger } from "./durable/durable-ledger.ts";

export interface OpenLedgerOptions {
  readonly redactor: Redactor;
  /** 32 bytes in base64 or hexadecimal, to seal exact texts with. HAFT_LEDGER_KEY of the environment unless named. */
  readonly key?: string | undefined;
  /** Exact texts stay after their run, until they are pruned. */
  readonly keepPayloads?: boolean | undefined;
  /** How long a locked database is waited for. */
  readonly busyMs?: number | undefined;
}

/** Opens `sqlite:./haft.db`, `sqlite::memory:` or `postgres://…`. */
export const openLedger = async (place: string, options: OpenLedgerOptions): Promise<DurableLedger> => {
  if (place.startsWith("sqlite:")) return openSqlite(place.slice("sqlite:".length), options);
  if (/^postgres(?:ql)?:/.test(place)) return openPostgres(place, options);
  throw new ConfigurationError(
    "invalid_config",
    `There is no ledger "${place.split(":")[0]}". Use "sqlite:./haft.db", "postgres://user@host/database", or "memory".`,
  );
};

const openSqlite = async (named: string, options: OpenLedgerOptions): Promise<DurableLedger> => {
  if (named === "") {
    throw new ConfigurationError(
      "invalid_config",
      'A SQLite ledger is named with its file: "sqlite:./haft.db".',
    );
  }
  const { sqliteDatabase } = await import("./sqlite.ts");
  const { redactor, keepPayloads, busyMs } = options;
  const isInMemory = named === ":memory:";
  const path = isInMemory ? named : resolve(named);
  const given = keyOf(options);
  const database = sqliteDatabase(busyMs === undefined ? { path } : { path, busyMs });
  const key = given ?? (isInMemory ? randomBytes(32) : await keyBeside(path, database));
  const spill = isInMemory ? {} : { blobs: `${path}.blobs` };
  return durableLedger(database, { redactor, keepPayloads, key, place: `sqlite:${named}`, ...spill });
};

/** The first transaction makes the folder, so that the key can be put beside the file. */
const keyBeside = async (path: string, database: Database): Promise<Uint8Array> => {
  try {
    await database.write(function* () {});
    return keyFile(`${path}.key`);
  } catch (error) {
    await database.close();
    throw error;
  }
};

const openPostgres = async (url: string, options: OpenLedgerOptions): Promise<DurableLedger> => {
  const { redactor, keepPayloads, busyMs } = options;
  const key = keyOf(options);
  const { postgresDatabase } = await import("./postgres.ts");
  const patience = busyMs === undefined ? {} : { patienceMs: busyMs };
  const database = await postgresDatabase({ url, ...patience });
  const { protocol, host, pathname } = new URL(url);
  return durableLedger(database, { redactor, keepPayloads, key, place: `${protocol}//${host}${pathname}` });
};

const keyOf = ({ key }: OpenLedgerOptions): Uint8Array | undefined => {
  if (key !== undefined) return readKey(key, "its option");
  const named = process.env.HAFT_LEDGER_KEY;
  return named === undefined || named === "" ? undefined : readKey(named, "HAFT_LEDGER_KEY");
};
