import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  createClosing,
  createOpening,
  runLedgerEffect,
} from "../../../../test/contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import type { DurableLedger } from "../../../types/durable-ledger.ts";
import { openSqliteDatabase } from "../../sqlite-database.ts";
import type { Database } from "../database.ts";
import { createDurableLedger } from "../durable-ledger.ts";

const { fresh, open, connect } = useSqliteFolder();
const far = Date.now() + 1_000_000;

const pair = async (ledger: DurableLedger, id: string, at = 1_000): Promise<void> => {
  await runLedgerEffect(ledger.open(createOpening(id, { at })));
  await runLedgerEffect(ledger.close(createClosing(id)));
};

const free = "DROP TRIGGER haft_records_fixed; DROP TRIGGER haft_records_kept;";

describe("chain that is pruned during verification", () => {
  /** Verifies 600 rows, and calls `happens` after the first page was read. */
  const interrupted = async (happens: (path: string, other: DurableLedger) => unknown) => {
    const path = fresh();
    const keys = [new Uint8Array(32)];
    const inner = openSqliteDatabase({ path });
    let reads: number | undefined;
    const database: Database = {
      ...inner,
      read: async (script) => {
        // The first two reads find the ends of the chains, the third is the first page.
        if (reads !== undefined && ++reads === 4) await happens(path, other);
        return inner.read(script);
      },
    };
    const place = { redactor: testMasking, place: path, keys };
    const ledger = await createDurableLedger(database, place);
    const other = await createDurableLedger(openSqliteDatabase({ path }), place);
    // Half of the rows are newer.
    await Promise.all(Array.from({ length: 300 }, (_, i) => pair(other, String(i), i < 150 ? 1_000 : far)));
    reads = 0;
    try {
      return await runLedgerEffect(ledger.verify());
    } finally {
      reads = undefined;
      await ledger.end();
      await other.end();
    }
  };

  it.each([
    ["fewer rows than were verified", far, 600],
    ["more rows than were verified", far + 1, 500],
  ])("is whole although %s were pruned", async (_, before, rows) => {
    const found = await interrupted((_, other) => runLedgerEffect(other.prune(before)));
    expect(found).toMatchObject({ ok: true });
    expect(found.rows).toBeGreaterThanOrEqual(rows);
  });

  it("is broken when rows were deleted and no row says that they were pruned", async () => {
    const found = await interrupted((path) =>
      connect(path).exec(
        `${free} UPDATE haft_anchor SET seq = 100, hash = (SELECT hash FROM haft_records WHERE seq = 100);
         DELETE FROM haft_records WHERE seq <= 100; DELETE FROM haft_entries WHERE open_seq <= 100`,
      ),
    );
    expect(found).toMatchObject({
      ok: false,
      broken: { seq: 101, why: expect.stringContaining("no row records that they were pruned") },
    });
  });
});

it("recognizes a noted head when all rows up to it were pruned", async () => {
  const ledger = await open(fresh());
  for (const id of ["1", "2"]) await pair(ledger, id);
  const { head } = await runLedgerEffect(ledger.verify());
  expect(await runLedgerEffect(ledger.prune(far))).toMatchObject({ rows: 4 });
  expect(await runLedgerEffect(ledger.verify({ expect: head.hash }))).toMatchObject({ ok: true, rows: 1 });
  expect(await runLedgerEffect(ledger.verify({ expect: "f".repeat(64) }))).toMatchObject({ ok: false });
});

it("returns the rows of a call after a given number", async () => {
  const ledger = await open(fresh());
  await runLedgerEffect(ledger.open(createOpening("0")));
  await runLedgerEffect(ledger.open(createOpening("1")));
  await runLedgerEffect(
    ledger.intend({ entryId: "1", tool: "work", at: 1_500, full: false, decision: undefined }),
  );
  await runLedgerEffect(ledger.close(createClosing("1")));
  const kinds = async (after: number, entryId: string) =>
    (await runLedgerEffect(ledger.rows({ after, entryId }))).map(({ kind }) => kind);
  expect(await kinds(0, "1")).toEqual(["opened", "started", "closed"]);
  expect(await kinds(2, "1")).toEqual(["started", "closed"]);
  expect(await kinds(3, "1")).toEqual(["closed"]);
  expect(await kinds(0, "none")).toEqual([]);
});

it("rejects a signed row that was rewritten as a row of 0.1.0, even without a key", async () => {
  const path = fresh();
  const ledger = await open(path, { key: "01".repeat(32) });
  await pair(ledger, "1");
  await ledger.end();
  const forger = connect(path);
  forger.exec(free);
  const [before, last] = forger.prepare("SELECT * FROM haft_records ORDER BY seq").all();
  const body = String(last?.body).replace("21", "22");
  const hash = createHash("sha256")
    .update(
      `${before?.hash}\n{"at":${last?.at},"body":${body},"entryId":"1","kind":"closed","runId":"run-1","seq":2}`,
    )
    .digest("hex");
  forger.prepare("UPDATE haft_records SET body = ?, hash = ?, prev = NULL WHERE seq = 2").run(body, hash);
  forger.close();
  const reader = await open(path, { readOnly: true });
  expect(await runLedgerEffect(reader.verify())).toMatchObject({
    ok: false,
    broken: { seq: 2, why: expect.stringContaining("hash differs") },
  });
});

it("keeps an empty ledger of 0.1.0 empty when keys are turned on", async () => {
  const path = fresh();
  mkdirSync(dirname(path), { recursive: true });
  const old = new DatabaseSync(path);
  const fixture = new URL("../../../../test/fixtures/ledger-0.1.0.sqlite.sql", import.meta.url);
  old.exec(readFileSync(fixture, "utf8"));
  old.exec(
    `${free} DELETE FROM haft_records; DELETE FROM haft_entries; DELETE FROM haft_keys; DELETE FROM haft_payloads;
     DELETE FROM haft_approvals; DELETE FROM haft_runs; DELETE FROM haft_run_messages;
     UPDATE haft_anchor SET seq = 0, hash = '${"0".repeat(64)}'`,
  );
  old.close();
  const ledger = await open(path);
  expect(await runLedgerEffect(ledger.rows())).toEqual([]);
  await pair(ledger, "1");
  expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 2, keys: [{ rows: 2 }] });
});
