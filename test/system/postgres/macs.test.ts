import pg from "pg";
import { afterEach } from "vitest";
import { redactor } from "../../../src/base/json/redact.ts";
import { createDurableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { openPostgresDatabase } from "../../../src/ledger/postgres-database.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import { macContract } from "../../contracts/ledger/mac-contract.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();
let opened: DurableLedger[] = [];

afterEach(async () => {
  for (const ledger of opened) await ledger.end();
  opened = [];
});

macContract("PostgreSQL", async () => {
  const url = await world.freshSchema();
  return {
    open: async (keys, readOnly = false) => {
      const database = await openPostgresDatabase({ url });
      const ledger = await createDurableLedger(database, {
        redactor: redactor({}),
        place: "here",
        keys,
        readOnly,
      });
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
