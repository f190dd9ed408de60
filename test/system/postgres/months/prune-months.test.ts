import { describe, expect, it } from "vitest";
import { monthName } from "../../../../src/ledger/durable/months/month-tables.ts";
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
  monthsOf,
  monthsScene,
  tablesOf,
  thisMonth,
  timeInMonth,
  writeCall,
} from "../../kit/months-scene.ts";

describe.each([18, 14] as const)("PostgreSQL %i", (version) => {
  const { place, threeMonths } = monthsScene(version);

  describe("prune", () => {
    it("drops a month that ended before the given time, and leaves a chain that verifies", async () => {
      const { ledger, query } = await threeMonths();
      const pruned = await runLedgerEffect(ledger.prune(timeInMonth(1)));
      expect(pruned).toMatchObject({ rows: 6, entries: 3, isComplete: true });
      expect(pruned.freedBytes).toBeGreaterThan(0);
      expect((await tablesOf(query)).filter((name) => name.includes("until"))).toEqual([]);
      expect(await entryIdsOf(ledger)).toEqual(["1-1", "1-2", "1-3", "2-1", "2-2", "2-3"]);
      const rows = await runLedgerEffect(ledger.rows());
      expect(rows.map(({ kind }) => kind).filter((kind) => kind === "pruned")).toHaveLength(1);
      expect(rows.at(-1)?.body).toMatchObject({ upTo: 6, rows: 6, entries: 3 });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 13 });
      expect(await runLedgerEffect(ledger.prune(timeInMonth(2)))).toMatchObject({
        rows: 6,
        entries: 3,
        isComplete: true,
      });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 8 });
    });

    it("deletes keys, exact texts, approvals and runs of that month only", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      const fill = async (name: string): Promise<void> => {
        await runLedgerEffect(ledger.open(createOpening(name, { at: clock.now, runId: `run ${name}` })));
        await runLedgerEffect(ledger.reserve(createKeyClaim(`key ${name}`, name)));
        await runLedgerEffect(ledger.close(createClosing(name, { ran: true })));
        await openPendingEntry(ledger, createApprovalRecord(`question ${name}`, `asked ${name}`));
        await runLedgerEffect(ledger.approvals.annul(`question ${name}`, "it is over", clock.now));
        await runLedgerEffect(
          ledger.close(createClosing(`asked ${name}`, { ending: "failed", code: "cancelled" })),
        );
      };
      await fill("old");
      clock.now = timeInMonth(1);
      await fill("young");
      clock.now = timeInMonth(2);
      expect(await runLedgerEffect(ledger.prune(timeInMonth(1)))).toMatchObject({
        entries: 2,
        isComplete: true,
      });
      expect(await query("SELECT entry_id FROM haft_keys")).toEqual([{ entry_id: "young" }]);
      expect(await query("SELECT id FROM haft_approvals")).toEqual([{ id: "question young" }]);
      expect(await query("SELECT DISTINCT entry_id FROM haft_payloads WHERE entry_id LIKE '%old%'")).toEqual(
        [],
      );
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("runs concurrently with writes, reads and verifications without loss", async () => {
      const { ledger, open, query, clock } = await threeMonths();
      const other = await open();
      let isOver = false;
      const pruning = runLedgerEffect(ledger.prune(timeInMonth(2))).finally(() => {
        isOver = true;
      });
      const written: string[] = [];
      while (!isOver) {
        const id = `beside ${written.length}`;
        await writeCall(written.length % 2 === 0 ? ledger : other, id, clock.now);
        written.push(id);
        expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
      }
      expect(await pruning).toMatchObject({ entries: 6, isComplete: true });
      expect(written).not.toEqual([]);
      expect(await tablesOf(query)).not.toContain(`haft_records_${monthName(thisMonth + 1)}`);
      const left = await entryIdsOf(other);
      expect(left.toSorted()).toEqual(["2-1", "2-2", "2-3", ...written].toSorted());
      expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
    });

    it("keeps a month with a pending entry, and prunes the rows before it in batches", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await writeCall(ledger, "over", clock.now);
      await openPendingEntry(ledger, createApprovalRecord("a", "waits"));
      clock.now = timeInMonth(1);
      await writeCall(ledger, "young", clock.now);
      expect(await runLedgerEffect(ledger.prune(timeInMonth(1)))).toMatchObject({
        rows: 2,
        entries: 1,
        isComplete: true,
      });
      expect(await tablesOf(query)).toContain(`haft_entries_until_${monthName(thisMonth)}`);
      expect(await runLedgerEffect(ledger.close(createClosing("waits")))).toBeUndefined();
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      expect(await entryIdsOf(ledger)).toHaveLength(2);
    });

    it("continues a chain without an owner whose last row was in the month", async () => {
      const { open, clock } = await place();
      const left = await open();
      await writeCall(left, "left", clock.now);
      const other = await open();
      await writeCall(other, "other", clock.now);
      await left.end();
      clock.now = timeInMonth(1);
      await writeCall(other, "young", clock.now);
      expect(await runLedgerEffect(other.prune(timeInMonth(1)))).toMatchObject({
        entries: 2,
        isComplete: true,
      });
      const rows = await runLedgerEffect(other.rows());
      expect(rows.filter(({ kind }) => kind === "pruned").map(({ chain }) => chain)).toEqual([0, 1]);
      const next = await open();
      await writeCall(next, "next", clock.now);
      expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
      expect((await entryIdsOf(next)).toSorted()).toEqual(["next", "young"]);
    });

    it("keeps a month with the last row of a chain whose owner is alive", async () => {
      const { open, clock, query } = await place();
      const quiet = await open();
      await writeCall(quiet, "quiet", clock.now);
      const other = await open();
      await writeCall(other, "other", clock.now);
      clock.now = timeInMonth(1);
      await writeCall(other, "young", clock.now);
      // The last row of the other chain stays, and so does its table.
      expect(await runLedgerEffect(other.prune(timeInMonth(1)))).toMatchObject({ isComplete: true });
      expect(await tablesOf(query)).toContain(`haft_records_until_${monthName(thisMonth)}`);
      await writeCall(quiet, "back", clock.now);
      expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
      expect(await runLedgerEffect(other.prune(timeInMonth(1)))).toMatchObject({ isComplete: true });
      expect(await tablesOf(query)).not.toContain(`haft_records_until_${monthName(thisMonth)}`);
      expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
    });

    it("prunes in batches without the right to change tables", async () => {
      const { open, query, ledger } = await threeMonths();
      await ledger.end();
      const other = await open({ database: (inner) => ({ ...inner, alter: async () => "forbidden" }) });
      expect(await runLedgerEffect(other.prune(timeInMonth(1)))).toMatchObject({
        rows: 6,
        entries: 3,
        isComplete: true,
      });
      expect(await tablesOf(query)).toContain(`haft_records_until_${monthName(thisMonth)}`);
      expect(await runLedgerEffect(other.verify())).toMatchObject({ ok: true });
    });

    it("writes to the next month after the current one was closed during a write", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await writeCall(ledger, "1", clock.now);
      for (const table of ["haft_records", "haft_entries"]) {
        const name = `${table}_until_${monthName(thisMonth)}`;
        await query(`ALTER TABLE ${name} ADD CONSTRAINT haft_month_is_closed CHECK (false) NOT VALID`);
      }
      await writeCall(ledger, "2", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth, thisMonth + 1]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 4 });
    });
  });
});
