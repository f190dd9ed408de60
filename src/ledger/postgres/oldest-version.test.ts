import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { durableLedgerContract } from "../../../test/contracts/ledger/durable-contract.ts";
import { ledgerSecret } from "../../../test/contracts/ledger/rows.ts";
import { ledgerContract } from "../../../test/contracts/ledger-contract.ts";
import { postgresWorld } from "../../../test/kit/postgres-world.ts";
import { redactor } from "../../json/redact.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { openDurableLedger } from "../open-ledger.ts";

const world = postgresWorld(14);
let stores: DurableLedger[] = [];
afterEach(async () => {
  await Promise.all(stores.map((store) => store.end()));
  stores = [];
});

const masking = redactor({ secrets: () => [ledgerSecret] });
const key = randomBytes(32).toString("hex");
const openStore = async (url: string, readOnly = false): Promise<DurableLedger> => {
  const store = await openDurableLedger(url, { key, redactor: masking, readOnly });
  stores.push(store);
  return store;
};

it("the server of these tests is of the oldest version that the ledger is for", async () => {
  const [row] = await world.server.query("SHOW server_version_num");
  expect(Math.floor(Number(row?.server_version_num) / 10_000)).toBe(14);
});

ledgerContract("PostgreSQL 14", async () => openStore(await world.migrated()));

// What a newer version shows every day, the oldest shows in soaks.
const everything = process.env.HAFT_SOAK === undefined ? () => {} : durableLedgerContract;
everything("PostgreSQL 14", async () => {
  const url = await world.migrated();
  return {
    ledger: await openStore(url),
    another: () => openStore(url),
    reading: () => openStore(url, true),
    tamper: async (sql) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`DROP TRIGGER IF EXISTS haft_records_fixed ON haft_records; ${sql}`);
      await client.end();
    },
  };
});
