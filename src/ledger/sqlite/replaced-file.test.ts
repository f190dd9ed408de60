import { copyFileSync, renameSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import {
  createKeyClaim,
  runLedgerEffect,
  runToLedgerError,
} from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { createClosing, createOpening } from "../../../test/contracts/ledger-contract.ts";
import { useSqliteFolder } from "../../../test/kit/use-sqlite-folder.ts";

const { fresh, open } = useSqliteFolder();

const files = (path: string) => [path, `${path}-wal`, `${path}-shm`];

it("refuses reads and writes when its file was deleted", async () => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.open(createOpening("1")));
  for (const file of files(path)) rmSync(file, { force: true });
  for (const write of [ledger.open(createOpening("2")), ledger.close(createClosing("1")), ledger.entries()]) {
    const error = await runToLedgerError<unknown>(write);
    expect(error).toMatchObject({ code: "ledger_unavailable" });
    expect(error.message).toMatch(/was deleted while it was open/);
  }
});

it("refuses to reserve a key when its file was replaced", async () => {
  const path = fresh();
  const first = await open(path);
  await runLedgerEffect(first.open(createOpening("1")));
  for (const file of files(path)) rmSync(file, { force: true });
  const second = await open(path, { key: "00".repeat(32) });
  await runLedgerEffect(second.open(createOpening("2")));
  expect(await runLedgerEffect(second.reserve(createKeyClaim("k", "2")))).toEqual({ kind: "fresh" });
  const error = await runToLedgerError(first.reserve(createKeyClaim("k", "1")));
  expect(error.message).toMatch(/was replaced by another file while it was open/);
  await runLedgerEffect(second.close(createClosing("2", { ran: true })));
});

it("continues when its file was moved away and put back", async () => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.open(createOpening("1")));
  copyFileSync(path, `${path}.copy`);
  renameSync(path, `${path}.away`);
  renameSync(`${path}.copy`, path);
  expect((await runToLedgerError(ledger.close(createClosing("1")))).message).toMatch(/was replaced/);
  renameSync(`${path}.away`, path);
  await runLedgerEffect(ledger.open(createOpening("2")));
  await runLedgerEffect(ledger.close(createClosing("2")));
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});
