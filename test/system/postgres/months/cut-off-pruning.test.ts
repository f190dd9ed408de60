import pg from "pg";
import { describe, expect, it } from "vitest";
import type { Database } from "../../../../src/ledger/durable/database.ts";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
} from "../../../contracts/ledger/ledger-fixtures.ts";
import {
  entryIdsOf,
  monthsScene,
  tablesOf,
  thisMonth,
  timeInMonth,
  writeCall,
} from "../../kit/months-scene.ts";

/** Fails at the n-th table change or transaction of pruning, as if the process died there. */
const dyingAt = (n: number, seen: { steps: number }): ((inner: Database) => Database) => {
  const die = async <A>(work: () => Promise<A>): Promise<A> => {
    seen.steps += 1;
    if (seen.steps > n) throw new Error("killed");
    return work();
  };
  return (inner) => ({
    ...inner,
    alter: (statement, patienceMs) => die(async () => (await inner.alter?.(statement, patienceMs)) ?? "busy"),
  });
};

describe.each([18, 14] as const)("PostgreSQL %i", (version) => {
  const { place, threeMonths } = monthsScene(version);

  describe("pruning of a month that fails after any step", () => {
    it("leaves a valid ledger that takes calls, and the next pruning completes it", async () => {
      for (let n = 0; ; n += 1) {
        const { open, query, clock, ledger } = await threeMonths();
        await runLedgerEffect(ledger.open(createOpening("keyed", { at: clock.now })));
        await runLedgerEffect(ledger.reserve(createKeyClaim("k", "keyed")));
        await runLedgerEffect(ledger.close(createClosing("keyed", { ran: true })));
        const seen = { steps: 0 };
        const dying = await open({ database: dyingAt(n, seen) });
        const came = await runLedgerEffect(dying.prune(timeInMonth(1))).then(
          () => "done",
          () => "killed",
        );
        expect(await runLedgerEffect(ledger.verify()), `cut off behind step ${n}`).toMatchObject({
          ok: true,
        });
        await writeCall(ledger, "after", clock.now);
        expect(await runLedgerEffect(ledger.prune(timeInMonth(1)))).toMatchObject({ isComplete: true });
        expect((await tablesOf(query)).filter((name) => name.includes("until"))).toEqual([]);
        expect(await entryIdsOf(ledger)).toHaveLength(8);
        expect(await runLedgerEffect(ledger.verify()), `continued after step ${n}`).toMatchObject({
          ok: true,
        });
        if (came === "done") {
          // Closing, detaching and dropping, for each of the two tables.
          expect(seen.steps).toBe(6);
          return;
        }
      }
    });

    it("leaves a valid ledger after it deleted a part of the dependent rows", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      for (const id of ["a", "b"]) {
        await runLedgerEffect(ledger.open(createOpening(id, { at: clock.now })));
        await runLedgerEffect(ledger.reserve(createKeyClaim(`key ${id}`, id)));
        await runLedgerEffect(ledger.close(createClosing(id, { ran: true })));
      }
      await openPendingEntry(ledger, createApprovalRecord("q", "asked"));
      await runLedgerEffect(ledger.approvals.annul("q", "it is over", clock.now));
      await runLedgerEffect(ledger.close(createClosing("asked", { ending: "failed", code: "cancelled" })));
      clock.now = timeInMonth(1);
      await writeCall(ledger, "young", clock.now);
      // Stopped directly after the transaction that marks the month as pruned.
      const stop = new AbortController();
      const pruned = await runLedgerEffect(
        ledger.prune(timeInMonth(1), { signal: stop.signal, onProgress: () => stop.abort() }),
      );
      expect(pruned).toMatchObject({ isComplete: false });
      expect(await query("SELECT value FROM haft_meta WHERE name = 'months_from'")).toEqual([
        { value: String(thisMonth + 1) },
      ]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      for (const sql of ["DELETE FROM haft_keys WHERE entry_id = 'a'", "DELETE FROM haft_approvals"]) {
        await query(sql);
        expect(await runLedgerEffect(ledger.verify()), sql).toMatchObject({ ok: true });
      }
      expect(await runLedgerEffect(ledger.prune(timeInMonth(1)))).toMatchObject({ isComplete: true });
      expect(await query("SELECT entry_id FROM haft_keys")).toEqual([]);
      expect(await entryIdsOf(ledger)).toEqual(["young"]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("leaves an interrupted detach that the next pruning completes", async () => {
      const { ledger, open, query, url } = await threeMonths();
      // A transaction that has read the month blocks its detach.
      const reader = new pg.Client({ connectionString: url });
      await reader.connect();
      await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      const dying = await open({
        database: (inner) => ({
          ...inner,
          alter: async (statement, patienceMs) => {
            if (!statement.includes("DETACH")) return inner.alter?.(statement, patienceMs) ?? "busy";
            await reader.query("SELECT count(*) FROM haft_entries");
            expect(await inner.alter?.(statement, 50)).toBe("busy");
            throw new Error("killed");
          },
        }),
      });
      await expect(runLedgerEffect(dying.prune(timeInMonth(1)))).rejects.toThrow("killed");
      await reader.end();
      const pending =
        "SELECT 1 FROM pg_inherits WHERE inhdetachpending AND inhparent = 'haft_entries'::regclass";
      expect(await query(pending)).toHaveLength(1);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      expect(await runLedgerEffect(ledger.prune(timeInMonth(1)))).toMatchObject({ isComplete: true });
      expect((await tablesOf(query)).filter((name) => name.includes("until"))).toEqual([]);
      expect(await entryIdsOf(ledger)).toHaveLength(6);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });
  });
});
