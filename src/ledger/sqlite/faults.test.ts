import {
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { runLedgerEffect, runToLedgerError } from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { createClosing, createOpening } from "../../../test/contracts/ledger-contract.ts";
import { useSqliteFolder } from "../../../test/kit/use-sqlite-folder.ts";
import { redactor } from "../../base/json/redact.ts";
import type { Database, Script } from "../durable/database.ts";
import { openDurableLedger } from "../open-durable-ledger.ts";

const { fresh, open, openBoth, connect } = useSqliteFolder();

const pragma = (database: Database, sql: string): Promise<unknown> =>
  database.write(function* (): Script<unknown> {
    return yield { sql: `PRAGMA ${sql}`, values: [] };
  });

it("waits for a locked database without blocking the event loop", async () => {
  const path = fresh();
  const ledger = await open(path);
  const other = connect(path);
  other.exec("BEGIN IMMEDIATE");
  const opened = runLedgerEffect(ledger.open(createOpening("1")));
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  other.exec("COMMIT");
  await opened;
  expect(await runLedgerEffect(ledger.entries())).toHaveLength(1);
});

it("reports a database that stays locked, and works once it is free", async () => {
  const path = fresh();
  const ledger = await open(path, { busyMs: 50 });
  await runLedgerEffect(ledger.open(createOpening("0")));
  const other = connect(path);
  other.exec("BEGIN IMMEDIATE");
  const error = await runToLedgerError(ledger.open(createOpening("1")));
  expect(error).toMatchObject({ code: "ledger_unavailable" });
  expect(error.message).toContain("locked by another process for 0.05 s");
  expect((await runToLedgerError(ledger.close(createClosing("0")))).message).toContain("locked");
  other.exec("COMMIT");
  await runLedgerEffect(ledger.open(createOpening("2")));
  expect((await runLedgerEffect(ledger.entries())).map(({ entryId, ending }) => [entryId, ending])).toEqual([
    ["0", "executed"],
    ["2", "open"],
  ]);
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});

it("opens no call on a full disk and writes all outcomes when there is space", async () => {
  const { ledger, database } = await openBoth(fresh());
  for (const id of ["1", "2", "3"]) await runLedgerEffect(ledger.open(createOpening(id)));
  await pragma(database, "max_page_count = 1");
  const large = JSON.stringify("x".repeat(30_000));
  expect((await runToLedgerError(ledger.open(createOpening("4", { input: large })))).message).toContain(
    "is full",
  );
  for (const id of ["1", "2", "3"]) {
    expect((await runToLedgerError(ledger.close(createClosing(id, { result: large })))).message).toContain(
      "Free disk space",
    );
  }
  expect(await runLedgerEffect(ledger.entries({ ending: "open" }))).toHaveLength(3);
  await pragma(database, "max_page_count = 100000");
  await runLedgerEffect(ledger.open(createOpening("5")));
  expect((await runLedgerEffect(ledger.entries({ ending: "executed" }))).map(({ result }) => result)).toEqual(
    [large, large, large],
  );
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 7 });
});

it("reports at the end that outcomes could not be written", async () => {
  const { ledger, database } = await openBoth(fresh());
  await runLedgerEffect(ledger.open(createOpening("1")));
  await pragma(database, "max_page_count = 1");
  await runToLedgerError(ledger.close(createClosing("1", { result: JSON.stringify("x".repeat(30_000)) })));
  await expect(ledger.end()).rejects.toThrow("The outcomes of 1 calls could not be written");
});

it("reports a remedy when the database is not writable", async () => {
  const path = fresh();
  await (await open(path)).end();
  // A version in the header that must not be written. It also stops the superuser.
  writeSync(openSync(path, "r+"), Buffer.from([3]), 0, 1, 18);
  await expect(open(path)).rejects.toMatchObject({ code: "ledger_unavailable" });
  await expect(open(path)).rejects.toThrow(/Let this user write to the file/);
});

it("refuses a file that is not a database and leaves it unchanged", async () => {
  const path = fresh();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "dear diary, ".repeat(1_000));
  await expect(open(path)).rejects.toThrow(/is not a ledger, or it is damaged\. Restore it from a backup/);
  expect(readFileSync(path, "utf8").startsWith("dear diary")).toBe(true);
});

it("refuses a folder instead of the file", async () => {
  const path = fresh();
  mkdirSync(path, { recursive: true });
  await expect(open(path)).rejects.toMatchObject({ code: "ledger_unavailable" });
});

it("refuses a ledger of a newer version", async () => {
  const path = fresh();
  await (await open(path)).end();
  connect(path).exec("UPDATE haft_meta SET value = '99' WHERE name = 'schema'");
  await expect(open(path)).rejects.toThrow(/newer version of Haft: its tables have version 99/);
});

it.each([1, 100, 4_000, 20_000])("opens and verifies a log that lost its last %i bytes", async (bytes) => {
  const path = fresh();
  const ledger = await open(path);
  for (let id = 0; id < 20; id++) {
    await runLedgerEffect(ledger.open(createOpening(String(id))));
    await runLedgerEffect(ledger.close(createClosing(String(id))));
  }
  const copy = fresh();
  mkdirSync(dirname(copy), { recursive: true });
  for (const end of ["", "-wal", ".key"]) copyFileSync(`${path}${end}`, `${copy}${end}`);
  truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size - bytes);
  const after = await open(copy);
  expect(await runLedgerEffect(after.verify())).toMatchObject({ ok: true });
  expect((await runLedgerEffect(after.entries())).length).toBeGreaterThan(0);
});

it("refuses to change rows, and to delete rows except from the beginning", async () => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.open(createOpening("1")));
  const other = connect(path);
  expect(() => other.exec("UPDATE haft_records SET body = '{}'")).toThrow("do not change");
  expect(() => other.exec("DELETE FROM haft_records")).toThrow("only pruned from its beginning");
});

it("restricts the file and its folder to their owner", async () => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.open(createOpening("1")));
  const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
  expect([dirname(path), path, `${path}-wal`, `${path}.key`].map(modeOf)).toEqual([
    "700",
    "600",
    "600",
    "600",
  ]);
});

it.each(["mysql://host/db", "haft.db", "sqlite:", ""])(
  "refuses the place %j with an example of a valid one",
  async (place) => {
    const opening = openDurableLedger(place, { redactor: redactor({}) });
    await expect(opening).rejects.toMatchObject({ code: "invalid_config" });
    await expect(opening).rejects.toThrow(/sqlite:\.\/haft\.db/);
  },
);
