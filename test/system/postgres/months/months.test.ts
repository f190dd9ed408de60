import { describe, expect, it } from "vitest";
import type { Database } from "../../../../src/ledger/durable/database.ts";
import { monthName } from "../../../../src/ledger/durable/months/month-tables.ts";
import { createMonthMaintainer } from "../../../../src/ledger/durable/months/months.ts";
import { createClosing, createOpening, runLedgerEffect } from "../../../contracts/ledger/ledger-fixtures.ts";
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
  const { place, threeMonths, world } = monthsScene(version);

  describe("monthly partitions", () => {
    it("of rows and entries exist before the month begins", async () => {
      const { ledger, query } = await threeMonths();
      const until = `until_${monthName(thisMonth)}`;
      const next = [1, 2, 3].map((n) => monthName(thisMonth + n));
      expect(await tablesOf(query)).toEqual(
        ["haft_entries", "haft_records"].flatMap((table) =>
          [table, ...[until, ...next].map((name) => `${table}_${name}`)].toSorted(),
        ),
      );
      const months = [0, 1, 2].map((n) => thisMonth + n);
      expect([await monthsOf(query, "haft_records"), await monthsOf(query, "haft_entries")]).toEqual([
        months,
        months,
      ]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 18 });
      expect(await entryIdsOf(ledger)).toHaveLength(9);
    });

    it("keep an entry in the month it was opened in, also when it ends in another", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await runLedgerEffect(ledger.open(createOpening("long", { at: clock.now })));
      clock.now = timeInMonth(1);
      await runLedgerEffect(ledger.close(createClosing("long")));
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth, thisMonth + 1]);
      expect(await monthsOf(query, "haft_entries")).toEqual([thisMonth]);
      expect(await runLedgerEffect(ledger.entries())).toMatchObject([
        { ending: "executed", result: '{"celsius":21}' },
      ]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("keep an entry that is reopened in a later month", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await runLedgerEffect(ledger.open(createOpening("paused", { at: clock.now })));
      await runLedgerEffect(ledger.close(createClosing("paused", { ending: "hydrated" })));
      clock.now = timeInMonth(1);
      await writeCall(ledger, "between", clock.now);
      await runLedgerEffect(ledger.open(createOpening("paused", { at: clock.now, isAgain: true })));
      await runLedgerEffect(ledger.close(createClosing("paused")));
      expect(await query("SELECT month FROM haft_entries WHERE entry_id = 'paused'")).toEqual([
        { month: thisMonth },
      ]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 6 });
    });

    it("receive rows from clocks in the past and years ahead", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      clock.now = timeInMonth(1);
      await writeCall(ledger, "ahead", clock.now);
      clock.now = timeInMonth(-14);
      await writeCall(ledger, "back", clock.now);
      clock.now = timeInMonth(120);
      await writeCall(ledger, "years", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth + 1, thisMonth + 3]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 6 });
    });

    it("of the next months are created by an open ledger outside its writes", async () => {
      const { open, clock, query, url } = await place();
      await open();
      const before = await tablesOf(query);
      for (const table of ["haft_records", "haft_entries"]) {
        for (const n of [2, 3]) await query(`DROP TABLE ${table}_${monthName(thisMonth + n)}`);
      }
      const database = await world.open(url);
      let writes = 0;
      const counted: Database = {
        ...database,
        write: (script, options) => {
          writes += 1;
          return database.write(script, options);
        },
      };
      const admin = createMonthMaintainer(counted, () => clock.now);
      await admin.keep();
      expect([await tablesOf(query), writes]).toEqual([before, 0]);
      // Without a connection for table changes it uses a transaction.
      for (const table of ["haft_records", "haft_entries"])
        await query(`DROP TABLE ${table}_${monthName(thisMonth + 3)}`);
      await createMonthMaintainer({ ...counted, alter: async () => "forbidden" }, () => clock.now).keep();
      expect([await tablesOf(query), writes]).toEqual([before, 1]);
    });

    it("created by another process are found by a writer without one", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      for (const table of ["haft_records", "haft_entries"]) {
        for (const n of [1, 2, 3]) await query(`DROP TABLE ${table}_${monthName(thisMonth + n)}`);
      }
      clock.now = timeInMonth(1);
      await writeCall(ledger, "1", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth]);
      await open();
      clock.now += 120_000;
      await writeCall(ledger, "2", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth, thisMonth + 1]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 4 });
    });
  });
});
