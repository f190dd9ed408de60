import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { createKeyClaim } from "../../test/contracts/ledger/ledger-fixtures.ts";
import {
  createClosing,
  createOpening,
  ledgerContract,
  ledgerSecret,
} from "../../test/contracts/ledger-contract.ts";
import { redactor } from "../base/json/redact.ts";
import type { EntryClosing, LedgerStore } from "../types/ledger.ts";
import { memoryLedger } from "./memory.ts";

const masking = redactor({ secrets: () => [ledgerSecret] });

ledgerContract("the memory ledger", () => memoryLedger({ redactor: masking }));

const ignore = (): void => {};

const write = (store: LedgerStore, id: string, more: Partial<EntryClosing> = {}): void => {
  Effect.runSync(store.open(createOpening(id)));
  Effect.runSync(store.close(createClosing(id, more)));
};

const ids = async (store: LedgerStore): Promise<readonly string[]> =>
  (await Effect.runPromise(store.entries())).map((row) => row.entryId);

it("evicts the entry that ended first", async () => {
  const store = memoryLedger({ redactor: masking, keep: 3, warn: ignore });
  for (const id of ["1", "2", "3", "4", "5", "6", "7"]) write(store, id);
  expect(await ids(store)).toEqual(["5", "6", "7"]);
  write(store, "8");
  expect(await ids(store)).toEqual(["6", "7", "8"]);
});

it("evicts read-only calls before all others", async () => {
  const store = memoryLedger({ redactor: masking, keep: 3, warn: ignore });
  write(store, "w1");
  for (const id of ["r1", "r2", "r3"]) write(store, id, { readOnly: true });
  expect(await ids(store)).toEqual(["w1", "r2", "r3"]);
  for (const id of ["w2", "w3"]) write(store, id);
  expect(await ids(store)).toEqual(["w1", "w2", "w3"]);
  write(store, "r4", { readOnly: true });
  expect(await ids(store)).toEqual(["w1", "w2", "w3"]);
  write(store, "w4");
  expect(await ids(store)).toEqual(["w2", "w3", "w4"]);
});

it("counts evicted entries and warns once", () => {
  const said: string[] = [];
  const store = memoryLedger({ redactor: masking, keep: 2, warn: (message) => said.push(message) });
  for (const id of ["1", "2"]) write(store, id);
  expect([store.forgotten(), said]).toEqual([0, []]);
  for (const id of ["3", "4", "5"]) write(store, id);
  expect(store.forgotten()).toBe(3);
  expect(said).toEqual([expect.stringMatching(/keeps the last 2 calls.*"sqlite:\.\/haft\.db"/)]);
});

it("keeps a reopened entry until it ends again", async () => {
  const store = memoryLedger({ redactor: masking, keep: 2, warn: ignore });
  write(store, "1", { ending: "unknown" });
  Effect.runSync(store.open(createOpening("1")));
  for (const id of ["2", "3", "4"]) write(store, id);
  expect(await ids(store)).toEqual(["1", "3", "4"]);
  Effect.runSync(store.close(createClosing("1")));
  expect(await ids(store)).toEqual(["1", "4"]);
});

it("keeps open and pending entries", async () => {
  const store = memoryLedger({ redactor: masking, keep: 2, warn: ignore });
  Effect.runSync(store.open(createOpening("open")));
  Effect.runSync(store.open(createOpening("pending")));
  Effect.runSync(store.close(createClosing("pending", { ending: "pending" })));
  for (const id of ["1", "2", "3"]) write(store, id);
  expect(await ids(store)).toEqual(["open", "pending", "2", "3"]);
  Effect.runSync(store.close(createClosing("open")));
  expect(await ids(store)).toEqual(["open", "pending", "3"]);
});

it("truncates texts of an entry to 16,384 characters", async () => {
  const store = memoryLedger({ redactor: masking });
  const [just, long] = ["x".repeat(16_384), "x".repeat(16_385)];
  for (const [id, input] of [
    ["1", just],
    ["2", long],
  ] as const) {
    Effect.runSync(store.open(createOpening(id, { input })));
    Effect.runSync(store.close(createClosing(id, { result: input, original: input })));
  }
  const [whole, cut] = await Effect.runPromise(store.entries());
  expect(whole).toMatchObject({ input: just, result: just, original: just });
  expect(cut).toMatchObject({ input: `${just}…`, result: `${just}…`, original: `${just}…` });
});

it("masks a secret that becomes known after it was written", async () => {
  const known: string[] = [];
  const store = memoryLedger({ redactor: redactor({ secrets: () => known }) });
  Effect.runSync(store.open(createOpening("1", { input: `{"note":"${ledgerSecret}"}` })));
  known.push(ledgerSecret);
  expect(await Effect.runPromise(store.entries())).toMatchObject([{ input: '{"note":"[redacted]"}' }]);
});

it("keeps a key, however many other calls end", async () => {
  const store = memoryLedger({ redactor: masking, keep: 3, warn: ignore });
  const reserve = (key: string, id: string) => Effect.runPromise(store.reserve(createKeyClaim(key, id)));
  Effect.runSync(store.open(createOpening("paid")));
  await reserve("k", "paid");
  Effect.runSync(store.close(createClosing("paid", { ran: true })));
  for (const id of ["1", "2", "3", "4", "5"]) {
    Effect.runSync(store.open(createOpening(id)));
    Effect.runSync(store.close(createClosing(id, { ending: "failed", code: "denied", ran: false })));
  }
  Effect.runSync(store.open(createOpening("again")));
  expect(await reserve("k", "again")).toEqual({ kind: "known", entryId: "paid", ending: "executed" });
  expect((await Effect.runPromise(store.recall("paid")))?.result).toBe('{"celsius":21}');
});

it("refuses a new key when it is full", async () => {
  const store = memoryLedger({ redactor: masking, keep: 2, warn: ignore });
  const claimed = async (key: string, id: string) => {
    Effect.runSync(store.open(createOpening(id)));
    return Effect.runPromise(store.reserve(createKeyClaim(key, id)));
  };
  for (const id of ["1", "2"]) {
    expect(await claimed(id, id)).toEqual({ kind: "fresh" });
    Effect.runSync(store.close(createClosing(id, { ran: true })));
  }
  await expect(claimed("3", "3")).rejects.toMatchObject({ code: "ledger_unavailable" });
  await expect(claimed("3", "4")).rejects.toThrow(/Use a ledger on disk: "sqlite:\.\/haft\.db"/);
  expect(await claimed("1", "5")).toMatchObject({ kind: "known", entryId: "1" });
});
