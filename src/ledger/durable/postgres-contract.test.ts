import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach } from "vitest";
import { durableLedgerContract } from "../../../test/contracts/ledger/durable-contract.ts";
import { postgresWorld } from "../../../test/kit/postgres-world.ts";
import { redactor } from "../../json/redact.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { openLedger } from "../open-ledger.ts";

const world = postgresWorld();
const key = randomBytes(32).toString("hex");
let opened: DurableLedger[] = [];

afterEach(async () => {
  await Promise.all(opened.map((ledger) => ledger.end()));
  opened = [];
});

durableLedgerContract("the PostgreSQL ledger", async () => {
  const url = await world.freshSchema();
  const open = async (): Promise<DurableLedger> => {
    const ledger = await openLedger(url, { key, redactor: redactor({}) });
    opened.push(ledger);
    return ledger;
  };
  const tamper = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  return { ledger: await open(), another: open, tamper };
});
