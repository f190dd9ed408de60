import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach } from "vitest";
import { macContract } from "../../../../test/contracts/ledger/mac-contract.ts";
import { redactor } from "../../../base/json/redact.ts";
import type { DurableLedger } from "../../../types/durable-ledger.ts";
import { openSqliteDatabase } from "../../sqlite-database.ts";
import { createDurableLedger } from "../durable-ledger.ts";

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
      const database = openSqliteDatabase({ path, readOnly });
      const ledger = await createDurableLedger(database, {
        redactor: redactor({}),
        place: path,
        keys,
        readOnly,
      });
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
