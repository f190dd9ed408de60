import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  createApprovalRecord,
  createClosing,
  createOpening,
  ledgerSecret,
  openPendingEntry,
  runLedgerEffect,
} from "../../../../test/contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import type { DurableLedger } from "../../../types/durable-ledger.ts";
import { openSqliteDatabase } from "../../sqlite-database.ts";
import type { Database, ReclaimOptions } from "../database.ts";
import { createDurableLedger } from "../durable-ledger.ts";

const { fresh, open } = useSqliteFolder();
const far = Date.now() + 1_000_000;

const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
  await runLedgerEffect(ledger.open(createOpening(id)));
  await runLedgerEffect(ledger.close(createClosing(id)));
};

describe("space of pruned rows", () => {
  /** A database that reports a hundred freed bytes per reclaim. */
  const counted = async (pairs: number) => {
    const asks: ReclaimOptions[] = [];
    const database: Database = {
      ...openSqliteDatabase({ path: ":memory:" }),
      reclaim: async (options) => {
        asks.push(options);
        return { freedBytes: 100, unreturnedBytes: 7 };
      },
    };
    const ledger = await createDurableLedger(database, { redactor: testMasking, place: "memory" });
    await Promise.all(Array.from({ length: pairs }, (_, i) => pair(ledger, String(i))));
    return { ledger, asks };
  };

  it("is reclaimed several times during a large prune and once at its end", async () => {
    const { ledger, asks } = await counted(1_400);
    const pruned = await runLedgerEffect(ledger.prune(far));
    expect(pruned).toMatchObject({ rows: 2_800, entries: 1_400, isComplete: true, unreturnedBytes: 7 });
    expect(asks.length).toBeGreaterThan(1);
    expect(asks.map(({ isLast }) => isLast)).toEqual([...asks.slice(1).map(() => false), true]);
    expect(pruned.freedBytes).toBe(100 * asks.length);
    await ledger.end();
  });

  it("is not reclaimed when nothing was pruned, except for a rewrite", async () => {
    const { ledger, asks } = await counted(1);
    expect(await runLedgerEffect(ledger.prune(0))).toMatchObject({
      rows: 0,
      freedBytes: 0,
      unreturnedBytes: 0,
    });
    expect(asks).toEqual([]);
    expect(await runLedgerEffect(ledger.prune(0, { rewrite: true }))).toMatchObject({
      rows: 0,
      freedBytes: 100,
    });
    expect(asks).toMatchObject([{ isLast: true, rewrite: true }]);
    await ledger.end();
  });
});

describe("payload files", () => {
  const long = JSON.stringify(ledgerSecret.repeat(20_000));
  const start = { agent: "a", principal: undefined, messages: [], at: 1_000 };

  it("are kept while a row names them, and deleted after an hour when no row does", async () => {
    const path = fresh();
    const ledger = await open(path);
    await runLedgerEffect(ledger.runs.begin({ ...start, runId: "r" }));
    await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1, input: long })));
    const folder = `${path}.blobs`;
    const [named] = readdirSync(folder);
    const old = "0".repeat(36);
    const young = "1".repeat(36);
    const others = ["notes.txt", "2".repeat(37)];
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const file of [old, young, ...others]) writeFileSync(`${folder}/${file}`, "");
    for (const file of [named, old, ...others]) utimesSync(`${folder}/${file}`, hoursAgo, hoursAgo);
    await runLedgerEffect(ledger.prune(far));
    expect(readdirSync(folder).toSorted()).toEqual([named, young, ...others].toSorted());
    expect((await runLedgerEffect(ledger.recall("1")))?.input).toBe(long);
  });

  it("are deleted with the pruned calls and conversations", async () => {
    const path = fresh();
    const ledger = await open(path, { keepPayloads: true });
    const messages = [{ role: "user", content: long }] as const;
    await runLedgerEffect(ledger.runs.begin({ ...start, messages, runId: "r" }));
    await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1, input: long })));
    await runLedgerEffect(ledger.close(createClosing("1", { result: long, epoch: 1 })));
    await runLedgerEffect(ledger.runs.end({ runId: "r", epoch: 1, status: "done", at: 2_000 }));
    expect(readdirSync(`${path}.blobs`)).toHaveLength(3);
    expect(await runLedgerEffect(ledger.prune(far))).toMatchObject({ entries: 1, payloads: 2 });
    expect(readdirSync(`${path}.blobs`)).toEqual([]);
  });
});

describe("edited input of an approval", () => {
  const edited = async (input: unknown, expiresAt?: number) => {
    const ledger = await open(fresh());
    await openPendingEntry(ledger, createApprovalRecord("a", "1", { expiresAt }));
    const answered = await runLedgerEffect(
      ledger.approvals.answer("a", { decision: { kind: "edit", input }, at: 2_000 }),
    );
    await runLedgerEffect(ledger.close(createClosing("1", { ending: "unknown", result: undefined })));
    return [answered, (await runLedgerEffect(ledger.prune(far))).payloads];
  };

  it("is not sealed when all of it may be shown", async () => {
    expect(await edited({ city: "Bergen" })).toEqual(["answered", 0]);
  });

  it("is sealed when it holds a secret, unless the answer came after expiry", async () => {
    expect(await edited({ city: ledgerSecret })).toEqual(["answered", 1]);
    expect(await edited({ city: ledgerSecret }, 1_500)).toEqual(["expired", 0]);
  });
});
