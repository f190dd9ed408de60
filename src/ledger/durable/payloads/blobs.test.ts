import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import {
  createClosing,
  createOpening,
  ledgerSecret,
  runLedgerEffect,
  runToLedgerError,
} from "../../../../test/contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import type { Message } from "../../../types/message.ts";
import { openSqliteDatabase } from "../../sqlite-database.ts";
import { createDurableLedger } from "../durable-ledger.ts";
import { readKeys } from "./key-file.ts";

const { fresh, open, connect } = useSqliteFolder();

const long = JSON.stringify(ledgerSecret.repeat(20_000));
const start = { runId: "r", agent: "a", principal: undefined, at: 1_000 };

/** A call in a run with its arguments in a file. */
const withFile = async () => {
  const path = fresh();
  const ledger = await open(path);
  await runLedgerEffect(ledger.runs.begin({ ...start, messages: [] }));
  await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1, input: long })));
  const [file] = readdirSync(`${path}.blobs`);
  return { path, ledger, file, tamper: (sql: string): void => connect(path).exec(sql) };
};

it("refuses a row that names a file outside of the ledger's own files", async () => {
  const { ledger, file, tamper } = await withFile();
  expect((await runLedgerEffect(ledger.recall("1")))?.input).toBe(long);
  for (const name of [`${file}/../${file}`, `../ledger.db.blobs/${file}`]) {
    tamper(`UPDATE haft_payloads SET file = '${name}'`);
    expect((await runToLedgerError(ledger.recall("1"))).message).toContain(
      "refers to a file that does not belong to the ledger",
    );
  }
});

it("reports a row without a file, or with a missing file", async () => {
  const { path, ledger, file, tamper } = await withFile();
  rmSync(`${path}.blobs/${file}`);
  expect((await runToLedgerError(ledger.recall("1"))).message).toContain(
    "A long text of the ledger cannot be read",
  );
  // A ledger without a payload folder does not find it either.
  const keys = readKeys(readFileSync(`${path}.key`, "utf8"), path);
  const other = await createDurableLedger(openSqliteDatabase({ path }), {
    redactor: testMasking,
    place: path,
    keys,
  });
  expect((await runToLedgerError(other.recall("1"))).message).toContain("is missing or was moved");
  await other.end();
  tamper("UPDATE haft_payloads SET file = NULL");
  expect((await runToLedgerError(ledger.recall("1"))).message).toContain("is missing or was moved");
});

it("refuses to open a call whose arguments cannot be stored, and names the folder", async () => {
  const path = fresh();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.blobs`, "");
  const ledger = await open(path);
  const error = await runToLedgerError(ledger.open(createOpening("1", { input: long })));
  expect(error.code).toBe("ledger_unavailable");
  expect(error.message).toContain(`A long text cannot be stored in ${path}.blobs`);
  expect(await runLedgerEffect(ledger.entries())).toEqual([]);
  // An outcome is recorded even when its text cannot be stored.
  await runLedgerEffect(ledger.open(createOpening("2")));
  await runLedgerEffect(ledger.close(createClosing("2", { result: long, ending: "hydrated" })));
  expect(await runLedgerEffect(ledger.entries())).toMatchObject([{ entryId: "2", ending: "hydrated" }]);
});

it("deletes the files of a conversation and its calls when the run is done", async () => {
  const path = fresh();
  const ledger = await open(path);
  const messages: readonly Message[] = [{ role: "user", content: long }];
  await runLedgerEffect(ledger.runs.begin({ ...start, messages }));
  await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1, input: long })));
  await runLedgerEffect(ledger.close(createClosing("1", { result: long, epoch: 1 })));
  expect(readdirSync(`${path}.blobs`)).toHaveLength(3);
  expect((await runLedgerEffect(ledger.recall("1")))?.result).toBe(long);
  await runLedgerEffect(ledger.runs.end({ runId: "r", epoch: 1, status: "done", at: 2_000 }));
  expect(readdirSync(`${path}.blobs`)).toEqual([]);
});

it("deletes the file of a text when the write failed", async () => {
  const { path, ledger } = await withFile();
  expect(
    await runToLedgerError(ledger.open(createOpening("1", { runId: "r", epoch: 1, input: long }))),
  ).toMatchObject({
    code: "ledger_unavailable",
  });
  expect(
    await runToLedgerError(ledger.open(createOpening("2", { runId: "r", epoch: 9, input: long }))),
  ).toMatchObject({
    code: "claim_lost",
  });
  expect(readdirSync(`${path}.blobs`)).toHaveLength(1);
});
