import { describe, expect, it } from "vitest";
import { redactor } from "../../../src/base/json/redact.ts";
import { indexCallIds } from "../../../src/ledger/durable/call-index.ts";
import type { Database, Query, Script } from "../../../src/ledger/durable/database.ts";
import { dialectOf } from "../../../src/ledger/durable/dialect.ts";
import { createDurableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { migrate } from "../../../src/ledger/durable/migrations.ts";
import { entriesQuery } from "../../../src/ledger/durable/read-entries.ts";
import { openPostgresDatabase } from "../../../src/ledger/postgres-database.ts";
import { openSqliteDatabase } from "../../../src/ledger/sqlite-database.ts";
import type { LedgerQuery } from "../../../src/types/ledger.ts";
import { createClosing, createOpening, runLedgerEffect } from "../../contracts/ledger/ledger-fixtures.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { singleStatement, usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();

const asked: readonly (readonly [query: LedgerQuery, dead: readonly string[], index: string])[] = [
  [{ tool: "t", limit: 20 }, [], "haft_entries_tool"],
  [{ ending: "failed", limit: 20 }, [], "haft_entries_ending"],
  [{ ending: "unknown", limit: 20 }, [], "haft_entries_ending"],
  [{ ending: "open", limit: 20 }, [], "haft_entries_ending"],
  [{ ending: "open", limit: 20 }, ["gone"], "haft_entries_ending"],
  [{ ending: "unknown", limit: 20 }, ["gone"], "haft_entries_ending"],
  [{ runId: "r" }, [], "haft_entries_run"],
  [{ session: "s7", limit: 20 }, [], "haft_entries_session"],
  [{ session: "s7" }, [], "haft_entries_session"],
];

/** Enough rows that a full scan is more expensive. */
const fill = (
  numbers: string,
): string => `INSERT INTO haft_entries (open_seq, entry_id, call_id, run_id, tool, agent, at,
  ending, owner, start_seq, close_seq, last_seq, closed_at, in_run, keyed, payloads, session)
  SELECT n, 'e' || n, 'c' || n, 'r' || (n % 5000), 't' || (n % 500), NULL, n,
    CASE WHEN n % 100 = 0 THEN 'failed' WHEN n % 1000 = 1 THEN 'open' WHEN n % 1000 = 2 THEN 'unknown' ELSE 'executed' END,
    'o', NULL, NULL, n, NULL, 0, 0, 0, CASE WHEN n % 2 = 0 THEN 's' || (n % 400) END FROM ${numbers}`;

const explain =
  (prefix: string, { sql, values }: Query) =>
  (): Script<unknown> =>
    singleStatement(`${prefix} ${sql}`, ...values);

const planOf = async (database: Database, prefix: string, query: Query): Promise<string> =>
  JSON.stringify(await database.read(explain(prefix, query)));

const upTo = (last: number): string =>
  `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${last}) SELECT n FROM s)`;

describe("entries use an index", () => {
  it("in SQLite", async () => {
    const database = openSqliteDatabase({ path: ":memory:" });
    const dialect = dialectOf(database);
    await database.write(() => migrate(dialect));
    await database.write(() => singleStatement(fill(upTo(20_000))));
    for (const [query, dead, index] of asked) {
      const plan = await planOf(database, "EXPLAIN QUERY PLAN", entriesQuery({ dialect, dead }, query));
      expect(plan, JSON.stringify(query)).toContain(`SEARCH e USING INDEX ${index}`);
      // Nor does it sort what the index returns in order.
      if (dead.length === 0) expect(plan, JSON.stringify(query)).not.toContain("TEMP B-TREE");
    }
    await database.close();
  });

  it("in SQLite for their call id, with a scan of the unindexed newest entries", async () => {
    const database = openSqliteDatabase({ path: ":memory:" });
    const dialect = dialectOf(database);
    await database.write(() => migrate(dialect));
    const query = (callId: string) => entriesQuery({ dialect, dead: [] }, { callId });
    const plan = await planOf(database, "EXPLAIN QUERY PLAN", query("c"));
    for (const search of [
      "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH haft_call_ids USING PRIMARY KEY (call_id=?)",
      "SEARCH haft_entries USING INTEGER PRIMARY KEY (rowid>?)",
    ]) {
      expect(plan).toContain(search);
    }
    const found = async (n: number) => {
      const { sql, values } = query(`c${n}`);
      const rows = await database.read(() =>
        singleStatement(sql.replace("JOIN haft_records o", "LEFT JOIN haft_records o"), ...values),
      );
      return rows.map(({ entry_id }) => entry_id);
    };
    const held = async () =>
      (await database.read(() => singleStatement("SELECT count(*) AS n FROM haft_call_ids")))[0]?.n;
    const order = () => database.write(() => indexCallIds(dialect));
    await database.write(() => singleStatement(fill(upTo(6_000))));
    expect([await held(), await found(1), await found(6_000)]).toEqual([0, ["e1"], ["e6000"]]);
    expect([await order(), await held(), await order(), await held()]).toEqual([true, 5_000, false, 6_000]);
    expect([await found(1), await found(6_000), await found(6_001)]).toEqual([["e1"], ["e6000"], []]);
    // Pruned entries are removed from the index.
    await database.write(() => singleStatement("DELETE FROM haft_entries WHERE open_seq <= 5990"));
    expect([await order(), await held(), await found(1), await found(6_000)]).toEqual([
      false,
      10,
      [],
      ["e6000"],
    ]);
    await database.write(() => singleStatement("DELETE FROM haft_entries"));
    expect([await order(), await held()]).toEqual([false, 0]);
    await database.close();
  });

  it("in PostgreSQL", async () => {
    const database = await world.open(await world.fresh());
    const dialect = dialectOf(database);
    await database.write(() => migrate(dialect));
    await database.write(() => singleStatement(fill("generate_series(1, 20000) AS s(n)")));
    await database.write(() => singleStatement("ANALYZE haft_entries"));
    const all = [...asked, [{ callId: "c" }, [], "haft_entries_call"] as const];
    for (const [query, dead, index] of all) {
      const plan = await planOf(database, "EXPLAIN", entriesQuery({ dialect, dead }, query));
      expect(plan, JSON.stringify(query)).toMatch(
        new RegExp(index.replace("entries", "entries_until_[0-9]+_[0-9]+")),
      );
    }
  });

  it("in PostgreSQL for single updates, although the plan was made on an empty table", async () => {
    const url = await world.migrated();
    const ledger = await createDurableLedger(await openPostgresDatabase({ url }), {
      redactor: redactor({}),
      place: url,
    });
    const runId = "r";
    await runLedgerEffect(
      ledger.runs.begin({ runId, agent: "a", principal: undefined, messages: [], at: 1 }),
    );
    const made = async (ids: readonly string[]): Promise<void> => {
      await Promise.all(
        ids.map((id) => runLedgerEffect(ledger.open(createOpening(id, { runId, epoch: 1 })))),
      );
      await Promise.all(ids.map((id) => runLedgerEffect(ledger.close(createClosing(id, { epoch: 1 })))));
    };
    const calls = 2_000;
    for (let first = 0; first < calls; first += 20) {
      await made(Array.from({ length: 20 }, (_, n) => `e${first + n}`));
    }
    // A connection reports its statistics at the latest when it ends.
    await ledger.end();
    const database = await world.open(url);
    const read = async (index: string): Promise<number> => {
      const rows = await database.read(() =>
        singleStatement(
          "SELECT sum(idx_tup_read) AS n FROM pg_stat_user_indexes WHERE indexrelname ~ ?",
          index,
        ),
      );
      return Number(rows[0]?.n);
    };
    await waitFor(async () => expect(await read("^haft_entries.*pkey$")).toBeGreaterThanOrEqual(calls));
    expect(await read("^haft_entries.*pkey$")).toBeLessThanOrEqual(calls * 3);
    expect(await read("^haft_runs_pkey$")).toBeLessThanOrEqual(calls * 3);
  });
});
