import { randomUUID } from "node:crypto";
import { createChainKeys } from "./durable/chain/chain-keys.ts";
import { createGroupWriter } from "./durable/group-writer.ts";
import { migrateTables } from "./durable/migrate-tables.ts";
import { tableVersion } from "./durable/migrations.ts";
import { toLedgerError } from "./ledger-errors.ts";
import { openLedgerDatabase } from "./open-durable-ledger.ts";

export interface LedgerMigration {
  readonly place: string;
  /** 0 if there were no tables. */
  readonly from: number;
  readonly to: number;
}

/** Does not register as an owner. */
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
