import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach } from "vitest";
import { durableLedgerContract } from "../../test/contracts/ledger/durable-contract.ts";
import { ledgerContract, ledgerSecret } from "../../test/contracts/ledger-contract.ts";
import { redactor } from "../base/json/redact.ts";
import type { DurableLedger } from "../types/durable-ledger.ts";
import { openDurableLedger } from "./open-durable-ledger.ts";

const masking = redactor({ secrets: () => [ledgerSecret] });
const folder = mkdtempSync(join(tmpdir(), "haft-sqlite-"));
let count = 0;
let opened: DurableLedger[] = [];

const open = async (place: string, readOnly = false): Promise<DurableLedger> => {
  const ledger = await openDurableLedger(place, { redactor: masking, readOnly });
  opened.push(ledger);
  return ledger;
};

afterEach(async () => {
  for (const ledger of opened) await ledger.end();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

ledgerContract("the SQLite ledger", () => open("sqlite::memory:"));

durableLedgerContract("the SQLite ledger", async () => {
  count += 1;
  const path = join(folder, `${count}.db`);
  const tamper = async (sql: string): Promise<void> => {
    const database = new DatabaseSync(path, { timeout: 1_000 });
    database.exec(
      `DROP TRIGGER IF EXISTS haft_records_fixed; DROP TRIGGER IF EXISTS haft_records_kept; ${sql}`,
    );
    database.close();
  };
  return {
    ledger: await open(`sqlite:${path}`),
    another: () => open(`sqlite:${path}`),
    reading: () => open(`sqlite:${path}`, true),
    tamper,
  };
});
