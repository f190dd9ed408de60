import { readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { runLedgerEffect } from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { createClosing, createOpening } from "../../../test/contracts/ledger-contract.ts";
import { useSqliteFolder } from "../../../test/kit/use-sqlite-folder.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";

const { fresh, open, connect } = useSqliteFolder();
const far = Date.now() + 1_000_000;
const calls = 1_500;

const fill = async (ledger: DurableLedger): Promise<void> => {
  const result = JSON.stringify("y".repeat(1_000));
  const pair = async (id: string): Promise<void> => {
    await runLedgerEffect(ledger.open(createOpening(id)));
    await runLedgerEffect(ledger.close(createClosing(id, { result })));
  };
  await Promise.all(Array.from({ length: calls }, (_, i) => pair(String(i))));
};

it("shrinks the file after pruning", async () => {
  const path = fresh();
  const ledger = await open(path);
  await fill(ledger);
  const { freedBytes, unreturnedBytes } = await runLedgerEffect(ledger.prune(far));
  expect(freedBytes).toBeGreaterThan(calls * 1_000);
  expect(unreturnedBytes).toBe(0);
  expect(statSync(path).size).toBeLessThan(400_000);
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});

it("returns the space of a 0.1.0 file only after a rewrite, and then like any other", async () => {
  const path = fresh();
  await (await open(path)).end();
  const old = connect(path);
  old.exec("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
  expect(old.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 0 });
  old.close();

  const ledger = await open(path);
  await fill(ledger);
  const first = await runLedgerEffect(ledger.prune(far));
  expect(first.freedBytes).toBe(0);
  expect(first.unreturnedBytes).toBeGreaterThan(calls * 1_000);
  const second = await runLedgerEffect(ledger.prune(far, { rewrite: true }));
  expect(second.freedBytes).toBeGreaterThan(calls * 1_000);
  expect(second.unreturnedBytes).toBe(0);
  await fill(ledger);
  expect((await runLedgerEffect(ledger.prune(far))).freedBytes).toBeGreaterThan(calls * 1_000);
  expect(readFileSync(path).length).toBeLessThan(400_000);
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
});
