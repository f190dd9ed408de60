import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createOpening,
  ledgerSecret,
  openPendingEntry,
  runLedgerEffect,
} from "../../contracts/ledger/ledger-fixtures.ts";
import { useSqliteFolder } from "../../kit/use-sqlite-folder.ts";

const { fresh, open } = useSqliteFolder();

const filled = async (): Promise<string> => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.open(createOpening("1")));
  await runLedgerEffect(ledger.close(createClosing("1")));
  await openPendingEntry(ledger, createApprovalRecord("a", "2", { input: { note: ledgerSecret } }));
  await ledger.end();
  return path;
};

/** Loads every module before it drops its rights, because another user may not read the source folder. */
const script = `
  const { openLedger } = await import(${JSON.stringify(new URL("../../../src/ledger/ledger-admin.ts", import.meta.url).href)});
  const [path, copy] = process.argv.slice(1);
  const look = async (place) => {
    const ledger = await openLedger("sqlite:" + place, { readOnly: true });
    const { broken, unproved } = await ledger.verify();
    // Without the key nothing is broken, and the MACs are not proved.
    const seen = [(await ledger.entries()).length, broken === undefined && /is not available$/.test(unproved)];
    await ledger.end();
    return seen;
  };
  await look(copy);
  if (process.getuid?.() === 0) {
    process.setgroups([65534]);
    process.setgid(65534);
    process.setuid(65534);
  }
  console.log(...(await look(path)));`;

it.skipIf(process.platform === "win32")("a read-only file and folder can be read", async () => {
  const path = await filled();
  rmSync(`${path}.key`);
  chmodSync(path, 0o444);
  chmodSync(dirname(path), 0o555);
  const copy = await filled();
  // Root can open every file, so another user reads.
  const args = ["--input-type=module", "-e", script, path, copy];
  chmodSync(dirname(dirname(path)), 0o755);
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: tmpdir() });
  chmodSync(dirname(path), 0o755);
  expect([stdout.trim(), stderr]).toEqual(["2 true", ""]);
});
