import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach } from "vitest";
import { redactor } from "../../../src/base/json/redact.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import { ledgerSecret } from "../../contracts/ledger/ledger-fixtures.ts";
import type { PostgresDatabases } from "./use-postgres.ts";

/** Ledgers on the server of a test file with one key, closed when their test ends. */
export const usePostgresStores = (
  world: PostgresDatabases,
  through: (url: string) => string = (url) => url,
) => {
  let stores: DurableLedger[] = [];
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.end()));
    stores = [];
  });
  const masking = redactor({ secrets: () => [ledgerSecret] });
  const key = randomBytes(32).toString("hex");
  const openStore = async (url: string, readOnly = false): Promise<DurableLedger> => {
    const store = await openDurableLedger(through(url), { key, redactor: masking, readOnly });
    stores.push(store);
    return store;
  };
  /** Changes rows as an SQL user who drops the protecting triggers. */
  const tamper = async (url: string, sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`DROP TRIGGER IF EXISTS haft_records_fixed ON haft_records; ${sql}`);
    await client.end();
  };
  /** Opens stores for the contract suite of durable ledgers. */
  const openContractStores = async () => {
    const url = await world.migrated();
    return {
      ledger: await openStore(url),
      another: () => openStore(url),
      reading: () => openStore(url, true),
      tamper: (sql: string) => tamper(url, sql),
    };
  };
  return { openStore, place: openContractStores };
};
