import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createOpening,
  ledgerSecret,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { useSqliteFolder } from "../../../test/kit/use-sqlite-folder.ts";

const { fresh, open, connect } = useSqliteFolder();

/** Every file of a folder with the hash of its content. */
const picture = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dirname(path), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => {
        const bytes = readFileSync(`${parentPath}/${name}`);
        return [name, createHash("sha256").update(bytes).digest("hex")];
      }),
  );

const filled = async (): Promise<string> => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.open(createOpening("1")));
  await runLedgerEffect(ledger.close(createClosing("1")));
  await openPendingEntry(ledger, createApprovalRecord("a", "2", { input: { note: ledgerSecret } }));
  await ledger.end();
  return path;
};

it("leaves all files of a read-only ledger unchanged", async () => {
  const path = await filled();
  const before = picture(path);
  const reader = await open(path, { readOnly: true });
  expect(await runLedgerEffect(reader.entries())).toHaveLength(2);
  expect((await runLedgerEffect(reader.recall("2")))?.input).toContain(ledgerSecret);
  expect(await runLedgerEffect(reader.verify())).toMatchObject({ ok: true });
  expect(picture(path)).toEqual(before);
  await reader.end();
  expect(picture(path)).toEqual(before);
});

it("sees writes of another process after it was opened", async () => {
  const path = await filled();
  const reader = await open(path, { readOnly: true });
  expect(await runLedgerEffect(reader.entries())).toHaveLength(2);
  const writer = await open(path);
  await runLedgerEffect(writer.open(createOpening("3")));
  expect(await runLedgerEffect(reader.entries())).toHaveLength(3);
  await writer.end();
  const next = await open(path);
  await runLedgerEffect(next.open(createOpening("4")));
  expect(await runLedgerEffect(reader.entries())).toHaveLength(4);
});

it("reads rows without the key file, but no exact texts", async () => {
  const path = await filled();
  rmSync(`${path}.key`);
  const reader = await open(path, { readOnly: true });
  expect(await runLedgerEffect(reader.entries())).toHaveLength(2);
  expect((await runToLedgerError(reader.recall("2"))).message).toContain("this process has no key");
  expect(existsSync(`${path}.key`)).toBe(false);
});

it("reports a missing key file when there are sealed texts, and creates no other", async () => {
  const path = await filled();
  const key = readFileSync(`${path}.key`, "utf8").trim();
  rmSync(`${path}.key`);
  await expect(open(path)).rejects.toMatchObject({ code: "ledger_unavailable" });
  await expect(open(path)).rejects.toThrow(`the key file ${path}.key is missing`);
  expect(existsSync(`${path}.key`)).toBe(false);
  const ledger = await open(path, { key });
  expect((await runLedgerEffect(ledger.recall("2")))?.input).toContain(ledgerSecret);
});

it("creates a new key only when nothing is sealed and no row has a MAC", async () => {
  const path = fresh();
  await (await open(path)).end();
  rmSync(`${path}.key`);
  const ledger = await open(path);
  expect(existsSync(`${path}.key`)).toBe(true);
  await runLedgerEffect(ledger.open(createOpening("1")));
  await runLedgerEffect(ledger.close(createClosing("1")));
  await ledger.end();
  rmSync(`${path}.key`);
  await expect(open(path)).rejects.toThrow(`the key file ${path}.key is missing`);
});

it("creates nothing when there is no ledger", async () => {
  const path = fresh();
  await expect(open(path, { readOnly: true })).rejects.toThrow(`The ledger ${path} does not exist`);
  expect(existsSync(dirname(path))).toBe(false);
});

it("refuses an empty file and a foreign database and leaves both unchanged", async () => {
  const empty = fresh();
  mkdirSync(dirname(empty), { recursive: true });
  writeFileSync(empty, "");
  await expect(open(empty, { readOnly: true })).rejects.toThrow("is not a ledger of Haft");
  const foreign = fresh();
  mkdirSync(dirname(foreign), { recursive: true });
  connect(foreign).exec("CREATE TABLE diary (day TEXT)");
  const before = [picture(empty), picture(foreign)];
  for (const readOnly of [true, false]) {
    const opening = open(foreign, { readOnly });
    await expect(opening).rejects.toMatchObject({ code: "ledger_unavailable" });
    await expect(opening).rejects.toThrow("is not a ledger of Haft");
  }
  expect([picture(empty), picture(foreign)]).toEqual(before);
});

it("refuses a read-only ledger in memory", async () => {
  await expect(open(":memory:", { readOnly: true })).rejects.toThrow("is not a ledger of Haft");
});

it("reads the log of a dead process", async () => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.open(createOpening("1")));
  const copy = fresh();
  mkdirSync(dirname(copy), { recursive: true });
  for (const end of ["", "-wal", ".key"]) copyFileSync(`${path}${end}`, `${copy}${end}`);
  const reader = await open(copy, { readOnly: true });
  expect(await runLedgerEffect(reader.entries())).toMatchObject([{ entryId: "1" }]);
  await reader.end();
  const database = new DatabaseSync(copy);
  expect(database.prepare("SELECT count(*) AS n FROM haft_owners").get()).toEqual({ n: 1 });
  database.close();
});
