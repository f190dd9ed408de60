import { randomUUID } from "node:crypto";
import { chainKeys } from "./durable/chain/chain-keys.ts";
import { migrateTables } from "./durable/migrate-tables.ts";
import { tableVersion } from "./durable/migrations.ts";
import { writer } from "./durable/writer.ts";
import { openPlace } from "./open-ledger.ts";
import { toLedgerError } from "./refusals.ts";

/** Of which version the tables were, and are now. */
export interface MigratedLedger {
  /** Without a password. */
  readonly place: string;
  /** 0 where there were no tables. */
  readonly from: number;
  readonly to: number;
}

/** Makes a ledger's tables, or brings them up to date, without joining those who write to it. */
export const migrateLedger = async (named: string): Promise<MigratedLedger> => {
  const { database, keys, place } = await openPlace(named, {});
  const ring = chainKeys(keys);
  const writes = writer(database, { keys: ring, owner: randomUUID(), now: Date.now }, () => {});
  try {
    const from = await migrateTables({ database, writer: writes, chainKeys: ring, now: Date.now });
    await writes.end();
    return { place, from, to: tableVersion };
  } catch (error) {
    throw toLedgerError(error);
  } finally {
    await database.close();
  }
};
