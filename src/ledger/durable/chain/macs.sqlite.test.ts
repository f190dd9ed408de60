import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach } from "vitest";
import { macContract } from "../../../../test/contracts/ledger/mac-contract.ts";
import { redactor } from "../../../json/redact.ts";
import type { DurableLedger } from "../../../words/durable-ledger.ts";
import { sqliteDatabase } from "../../sqlite.ts";
import { durableLedger } from "../durable-ledger.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-macs-"));
let count = 0;
let opened: DurableLedger[] = [];

afterEach(async () => {
  for (const ledger of opened) await ledger.end();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

macContract("the SQLite ledger", async () => {
  count += 1;
  const path = join(folder, `${count}.db`);
  return {
    open: async (keys, readOnly = false) => {
      const database = sqliteDatabase({ path, readOnly });
      const ledger = await durableLedger(database, { redactor: redactor({}), place: path, keys, readOnly });
      opened.push(ledger);
      return ledger;
    },
    tamper: async (sql) => {
      const database = new DatabaseSync(path, { timeout: 1_000 });
      database.exec(
        `DROP TRIGGER IF EXISTS haft_records_fixed; DROP TRIGGER IF EXISTS haft_records_kept; ${sql}`,
      );
      database.close();
    },
  };
});
