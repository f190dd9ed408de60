import pg from "pg";
import { afterEach } from "vitest";
import { redactor } from "../../../src/json/redact.ts";
import { durableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { postgresDatabase } from "../../../src/ledger/postgres.ts";
import type { DurableLedger } from "../../../src/words/durable-ledger.ts";
import { macContract } from "../../contracts/ledger/mac-contract.ts";
import { postgresWorld } from "../kit/postgres-world.ts";

const world = postgresWorld();
let opened: DurableLedger[] = [];

afterEach(async () => {
  for (const ledger of opened) await ledger.end();
  opened = [];
});

macContract("PostgreSQL", async () => {
  const url = await world.freshSchema();
  return {
    open: async (keys, readOnly = false) => {
      const database = await postgresDatabase({ url });
      const ledger = await durableLedger(database, { redactor: redactor({}), place: "here", keys, readOnly });
      opened.push(ledger);
      return ledger;
    },
    tamper: async (sql) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`DROP TRIGGER IF EXISTS haft_records_fixed ON haft_records; ${sql}`);
      await client.end();
    },
  };
});
