import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { asked, claim, closing, opening, run, wait } from "../../../../test/contracts/ledger/rows.ts";
import { postgresWorld } from "../../../../test/kit/postgres-world.ts";
import { redactor } from "../../../json/redact.ts";
import type { DurableLedger } from "../../../words/durable-ledger.ts";
import type { Database, Row } from "../database.ts";
import { durableLedger } from "../durable-ledger.ts";
import { monthName, monthOf, startOfMonth } from "./month.ts";
import { monthKeeper } from "./months.ts";

describe.each([18, 14] as const)("on PostgreSQL %i", (version) => {
  const world = postgresWorld(version);
  let stores: DurableLedger[] = [];
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.end()));
    stores = [];
  });

  const key = new Uint8Array(32).fill(7);
  const thisMonth = monthOf(Date.now());
  /** A while after a month began, counted from this one. */
  const within = (months: number): number => startOfMonth(thisMonth + months) + 3_600_000;

  interface Place {
    readonly url: string;
    readonly query: (sql: string) => Promise<readonly Row[]>;
    /** A store whose clock stands where `clock` says. */
    readonly open: (more?: { readonly database?: (inner: Database) => Database }) => Promise<DurableLedger>;
    readonly clock: { now: number };
  }

  const place = async (): Promise<Place> => {
    const url = await world.freshSchema();
    const clock = { now: within(0) };
    const open: Place["open"] = async ({ database = (inner: Database) => inner } = {}) => {
      const store = await durableLedger(database(await world.open(url)), {
        redactor: redactor({ secrets: () => [] }),
        place: "postgres",
        keys: [key],
        now: () => clock.now,
      });
      stores.push(store);
      return store;
    };
    const query: Place["query"] = async (sql) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(sql).finally(() => client.end());
      return rows;
    };
    return { url, query, open, clock };
  };

  const pair = async (ledger: DurableLedger, id: string, at: number): Promise<void> => {
    await run(ledger.open(opening(id, { at })));
    await run(ledger.close(closing(id)));
  };

  const idsOf = async (ledger: DurableLedger): Promise<readonly string[]> =>
    (await run(ledger.entries())).map(({ entryId }) => entryId);

  const monthsOf = async (query: Place["query"], table: string): Promise<readonly unknown[]> =>
    (await query(`SELECT DISTINCT month FROM ${table} ORDER BY month`)).map(({ month }) => month);

  const tablesOf = async (query: Place["query"]): Promise<readonly string[]> =>
    (
      await query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
      AND (tablename LIKE 'haft_records%' OR tablename LIKE 'haft_entries%') ORDER BY 1`)
    ).map(({ name }) => String(name));

  /** Calls in each of three months, by one store whose clock goes on. */
  const threeMonths = async (): Promise<Place & { readonly ledger: DurableLedger }> => {
    const at = await place();
    const ledger = await at.open();
    for (const month of [0, 1, 2]) {
      at.clock.now = within(month);
      for (const n of [1, 2, 3]) await pair(ledger, `${month}-${n}`, at.clock.now);
    }
    return { ...at, ledger };
  };

  describe("rows and entries are kept by the month", () => {
    it("in tables that are there before the month begins", async () => {
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
      expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 18 });
      expect(await idsOf(ledger)).toHaveLength(9);
    });

    it("an entry stays in the month it was opened in, and is found whole when it ends in another", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await run(ledger.open(opening("long", { at: clock.now })));
      clock.now = within(1);
      await run(ledger.close(closing("long")));
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth, thisMonth + 1]);
      expect(await monthsOf(query, "haft_entries")).toEqual([thisMonth]);
      expect(await run(ledger.entries())).toMatchObject([{ ending: "executed", result: '{"celsius":21}' }]);
      expect(await run(ledger.verify())).toMatchObject({ ok: true });
    });

    it("an entry that is opened again in a later month goes on, and is there once", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await run(ledger.open(opening("paused", { at: clock.now })));
      await run(ledger.close(closing("paused", { ending: "hydrated" })));
      clock.now = within(1);
      await pair(ledger, "between", clock.now);
      await run(ledger.open(opening("paused", { at: clock.now, isAgain: true })));
      await run(ledger.close(closing("paused")));
      expect(await query("SELECT month FROM haft_entries WHERE entry_id = 'paused'")).toEqual([
        { month: thisMonth },
      ]);
      expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 6 });
    });

    it("a clock that goes back, and one that is years ahead, put rows where there is a table", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      clock.now = within(1);
      await pair(ledger, "ahead", clock.now);
      clock.now = within(-14);
      await pair(ledger, "back", clock.now);
      clock.now = within(120);
      await pair(ledger, "years", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth + 1, thisMonth + 3]);
      expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 6 });
    });

    it("whoever has the ledger open makes the next months, beside what it writes", async () => {
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
      const keeper = monthKeeper(counted, () => clock.now);
      await keeper.keep();
      expect([await tablesOf(query), writes]).toEqual([before, 0]);
      // One that cannot change tables on a connection of its own does it in a transaction.
      for (const table of ["haft_records", "haft_entries"])
        await query(`DROP TABLE ${table}_${monthName(thisMonth + 3)}`);
      await monthKeeper({ ...counted, alter: async () => "forbidden" }, () => clock.now).keep();
      expect([await tablesOf(query), writes]).toEqual([before, 1]);
    });

    it("a month that a writer has no table for is looked for again once somebody made it", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      for (const table of ["haft_records", "haft_entries"]) {
        for (const n of [1, 2, 3]) await query(`DROP TABLE ${table}_${monthName(thisMonth + n)}`);
      }
      clock.now = within(1);
      await pair(ledger, "1", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth]);
      await open();
      clock.now += 120_000;
      await pair(ledger, "2", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth, thisMonth + 1]);
      expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 4 });
    });
  });

  describe("prune", () => {
    it("takes a month whole that was over before the time, and leaves a chain that proves the rest", async () => {
      const { ledger, query } = await threeMonths();
      const pruned = await run(ledger.prune(within(1)));
      expect(pruned).toMatchObject({ rows: 6, entries: 3, isComplete: true });
      expect(pruned.freedBytes).toBeGreaterThan(0);
      expect((await tablesOf(query)).filter((name) => name.includes("until"))).toEqual([]);
      expect(await idsOf(ledger)).toEqual(["1-1", "1-2", "1-3", "2-1", "2-2", "2-3"]);
      const rows = await run(ledger.rows());
      expect(rows.map(({ kind }) => kind).filter((kind) => kind === "pruned")).toHaveLength(1);
      expect(rows.at(-1)?.body).toMatchObject({ upTo: 6, rows: 6, entries: 3 });
      expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 13 });
      expect(await run(ledger.prune(within(2)))).toMatchObject({ rows: 6, entries: 3, isComplete: true });
      expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 8 });
    });

    it("takes keys, exact texts, questions and runs of the month with it, and of no other", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      const fill = async (name: string): Promise<void> => {
        await run(ledger.open(opening(name, { at: clock.now, runId: `run ${name}` })));
        await run(ledger.reserve(claim(`key ${name}`, name)));
        await run(ledger.close(closing(name, { ran: true })));
        await wait(ledger, asked(`question ${name}`, `asked ${name}`));
        await run(ledger.approvals.annul(`question ${name}`, "it is over", clock.now));
        await run(ledger.close(closing(`asked ${name}`, { ending: "failed", code: "cancelled" })));
      };
      await fill("old");
      clock.now = within(1);
      await fill("young");
      clock.now = within(2);
      expect(await run(ledger.prune(within(1)))).toMatchObject({ entries: 2, isComplete: true });
      expect(await query("SELECT entry_id FROM haft_keys")).toEqual([{ entry_id: "young" }]);
      expect(await query("SELECT id FROM haft_approvals")).toEqual([{ id: "question young" }]);
      expect(await query("SELECT DISTINCT entry_id FROM haft_payloads WHERE entry_id LIKE '%old%'")).toEqual(
        [],
      );
      expect(await run(ledger.verify())).toMatchObject({ ok: true });
    });

    it("goes on beside others who write, read and verify, and loses nothing of theirs", async () => {
      const { ledger, open, query, clock } = await threeMonths();
      const other = await open();
      let isOver = false;
      const pruning = run(ledger.prune(within(2))).finally(() => {
        isOver = true;
      });
      const written: string[] = [];
      while (!isOver) {
        const id = `beside ${written.length}`;
        await pair(written.length % 2 === 0 ? ledger : other, id, clock.now);
        written.push(id);
        expect(await run(other.verify())).toMatchObject({ ok: true });
      }
      expect(await pruning).toMatchObject({ entries: 6, isComplete: true });
      expect(written).not.toEqual([]);
      expect(await tablesOf(query)).not.toContain(`haft_records_${monthName(thisMonth + 1)}`);
      const left = await idsOf(other);
      expect(left.toSorted()).toEqual(["2-1", "2-2", "2-3", ...written].toSorted());
      expect(await run(other.verify())).toMatchObject({ ok: true });
    });

    it("leaves a month in which something waits, and takes what comes before it a little at a time", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await pair(ledger, "over", clock.now);
      await wait(ledger, asked("a", "waits"));
      clock.now = within(1);
      await pair(ledger, "young", clock.now);
      expect(await run(ledger.prune(within(1)))).toMatchObject({ rows: 2, entries: 1, isComplete: true });
      expect(await tablesOf(query)).toContain(`haft_entries_until_${monthName(thisMonth)}`);
      expect(await run(ledger.close(closing("waits")))).toBeUndefined();
      expect(await run(ledger.verify())).toMatchObject({ ok: true });
      expect(await idsOf(ledger)).toHaveLength(2);
    });

    it("goes on with a chain that nobody has, whose last row was in the month", async () => {
      const { open, clock } = await place();
      const left = await open();
      await pair(left, "left", clock.now);
      const other = await open();
      await pair(other, "other", clock.now);
      await left.end();
      clock.now = within(1);
      await pair(other, "young", clock.now);
      expect(await run(other.prune(within(1)))).toMatchObject({ entries: 2, isComplete: true });
      const rows = await run(other.rows());
      expect(rows.filter(({ kind }) => kind === "pruned").map(({ chain }) => chain)).toEqual([0, 1]);
      const next = await open();
      await pair(next, "next", clock.now);
      expect(await run(next.verify())).toMatchObject({ ok: true });
      expect((await idsOf(next)).toSorted()).toEqual(["next", "young"]);
    });

    it("leaves a month that has the last row of a chain whose owner lives", async () => {
      const { open, clock, query } = await place();
      const quiet = await open();
      await pair(quiet, "quiet", clock.now);
      const other = await open();
      await pair(other, "other", clock.now);
      clock.now = within(1);
      await pair(other, "young", clock.now);
      // The last row of the other's chain stays, and so does the table it is in.
      expect(await run(other.prune(within(1)))).toMatchObject({ isComplete: true });
      expect(await tablesOf(query)).toContain(`haft_records_until_${monthName(thisMonth)}`);
      await pair(quiet, "back", clock.now);
      expect(await run(other.verify())).toMatchObject({ ok: true });
      expect(await run(other.prune(within(1)))).toMatchObject({ isComplete: true });
      expect(await tablesOf(query)).not.toContain(`haft_records_until_${monthName(thisMonth)}`);
      expect(await run(other.verify())).toMatchObject({ ok: true });
    });

    it("refused to change tables prunes a little at a time", async () => {
      const { open, query, ledger } = await threeMonths();
      await ledger.end();
      const other = await open({ database: (inner) => ({ ...inner, alter: async () => "forbidden" }) });
      expect(await run(other.prune(within(1)))).toMatchObject({ rows: 6, entries: 3, isComplete: true });
      expect(await tablesOf(query)).toContain(`haft_records_until_${monthName(thisMonth)}`);
      expect(await run(other.verify())).toMatchObject({ ok: true });
    });

    it("writes to the next month from one that was closed under a writer's hands", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      await pair(ledger, "1", clock.now);
      for (const table of ["haft_records", "haft_entries"]) {
        const name = `${table}_until_${monthName(thisMonth)}`;
        await query(`ALTER TABLE ${name} ADD CONSTRAINT haft_month_is_closed CHECK (false) NOT VALID`);
      }
      await pair(ledger, "2", clock.now);
      expect(await monthsOf(query, "haft_records")).toEqual([thisMonth, thisMonth + 1]);
      expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 4 });
    });
  });

  /** Fails at the n-th change of a table or transaction that pruning makes, as if the process died there. */
  const dyingAt = (n: number, seen: { steps: number }): ((inner: Database) => Database) => {
    const die = async <A>(work: () => Promise<A>): Promise<A> => {
      seen.steps += 1;
      if (seen.steps > n) throw new Error("killed");
      return work();
    };
    return (inner) => ({
      ...inner,
      alter: (statement, patienceMs) =>
        die(async () => (await inner.alter?.(statement, patienceMs)) ?? "busy"),
    });
  };

  describe("pruning a month that is cut off behind any of its steps", () => {
    it("leaves a ledger that verifies and takes calls, and the next pruning goes on", {
      timeout: 120_000,
    }, async () => {
      for (let n = 0; ; n += 1) {
        const { open, query, clock, ledger } = await threeMonths();
        await run(ledger.open(opening("keyed", { at: clock.now })));
        await run(ledger.reserve(claim("k", "keyed")));
        await run(ledger.close(closing("keyed", { ran: true })));
        const seen = { steps: 0 };
        const dying = await open({ database: dyingAt(n, seen) });
        const came = await run(dying.prune(within(1))).then(
          () => "done",
          () => "killed",
        );
        expect(await run(ledger.verify()), `cut off behind step ${n}`).toMatchObject({ ok: true });
        await pair(ledger, "after", clock.now);
        expect(await run(ledger.prune(within(1)))).toMatchObject({ isComplete: true });
        expect((await tablesOf(query)).filter((name) => name.includes("until"))).toEqual([]);
        expect(await idsOf(ledger)).toHaveLength(8);
        expect(await run(ledger.verify()), `went on behind step ${n}`).toMatchObject({ ok: true });
        if (came === "done") {
          // Closing, detaching and dropping, for each of the two tables.
          expect(seen.steps).toBe(6);
          return;
        }
      }
    });

    it("behind the first of what hangs on its calls, too", async () => {
      const { open, clock, query } = await place();
      const ledger = await open();
      for (const id of ["a", "b"]) {
        await run(ledger.open(opening(id, { at: clock.now })));
        await run(ledger.reserve(claim(`key ${id}`, id)));
        await run(ledger.close(closing(id, { ran: true })));
      }
      await wait(ledger, asked("q", "asked"));
      await run(ledger.approvals.annul("q", "it is over", clock.now));
      await run(ledger.close(closing("asked", { ending: "failed", code: "cancelled" })));
      clock.now = within(1);
      await pair(ledger, "young", clock.now);
      // Stopped right behind the transaction by which the month counts as pruned.
      const stop = new AbortController();
      const pruned = await run(
        ledger.prune(within(1), { signal: stop.signal, onProgress: () => stop.abort() }),
      );
      expect(pruned).toMatchObject({ isComplete: false });
      expect(await query("SELECT value FROM haft_meta WHERE name = 'months_from'")).toEqual([
        { value: String(thisMonth + 1) },
      ]);
      expect(await run(ledger.verify())).toMatchObject({ ok: true });
      for (const sql of ["DELETE FROM haft_keys WHERE entry_id = 'a'", "DELETE FROM haft_approvals"]) {
        await query(sql);
        expect(await run(ledger.verify()), sql).toMatchObject({ ok: true });
      }
      expect(await run(ledger.prune(within(1)))).toMatchObject({ isComplete: true });
      expect(await query("SELECT entry_id FROM haft_keys")).toEqual([]);
      expect(await idsOf(ledger)).toEqual(["young"]);
      expect(await run(ledger.verify())).toMatchObject({ ok: true });
    });

    it("a detaching that was interrupted is finished by the next pruning", async () => {
      const { ledger, open, query, url } = await threeMonths();
      // A transaction that looked at the month keeps detaching from its end.
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
      await expect(run(dying.prune(within(1)))).rejects.toThrow("killed");
      await reader.end();
      const pending =
        "SELECT 1 FROM pg_inherits WHERE inhdetachpending AND inhparent = 'haft_entries'::regclass";
      expect(await query(pending)).toHaveLength(1);
      expect(await run(ledger.verify())).toMatchObject({ ok: true });
      expect(await run(ledger.prune(within(1)))).toMatchObject({ isComplete: true });
      expect((await tablesOf(query)).filter((name) => name.includes("until"))).toEqual([]);
      expect(await idsOf(ledger)).toHaveLength(6);
      expect(await run(ledger.verify())).toMatchObject({ ok: true });
    });
  });
});
