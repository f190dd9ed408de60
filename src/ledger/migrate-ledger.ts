import { randomUUID } from "node:crypto";
import { createChainKeys } from "./durable/chain/chain-keys.ts";
import { createGroupWriter } from "./durable/group-writer.ts";
import { migrateTables } from "./durable/migrate-tables.ts";
import { tableVersion } from "./durable/migrations.ts";
import { toLedgerError } from "./ledger-errors.ts";
import { openLedgerDatabase } from "./open-durable-ledger.ts";

/** Of which version the tables were, and are now. */
export interface LedgerMigration {
  /** Without a password. */
  readonly place: string;
  /** 0 where there were no tables. */
  readonly from: number;
  readonly to: number;
}

/** Makes a ledger's tables, or brings them up to date, without joining those who write to it. */
export const migrateLedger = async (named: string): Promise<LedgerMigration> => {
  const { database, keys, place } = await openLedgerDatabase(named, {});
  const keyRing = createChainKeys(keys);
  const groupWriter = createGroupWriter(
    database,
    { keys: keyRing, owner: randomUUID(), now: Date.now },
    () => {},
  );
  try {
    const from = await migrateTables({ database, writer: groupWriter, chainKeys: keyRing, now: Date.now });
    await groupWriter.end();
    return { place, from, to: tableVersion };
  } catch (error) {
    throw toLedgerError(error);
  } finally {
    await database.close();
  }
};
