import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { monthName, monthOf } from "../../../src/ledger/durable/months/month-tables.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import {
  createClosing,
  createOpening,
  ledgerSecret,
  runLedgerEffect,
} from "../../contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../kit/use-sqlite-folder.ts";
import { usePostgres } from "../kit/use-postgres.ts";

interface Place {
  readonly open: () => Promise<DurableLedger>;
  readonly change: (sql: string) => Promise<void>;
}

/** Reverts a partitioned table to one table: its first partition under the name of the whole. */
const inOneTable = (table: string, indexes: readonly string[]): readonly string[] => {
  const first = `${table}_until_${monthName(monthOf(Date.now()))}`;
  return [
    `ALTER TABLE ${table} DETACH PARTITION ${first}`,
    `DROP TABLE ${table}`,
    `ALTER TABLE ${first} RENAME TO ${table}`,
    ...indexes.map((name) => `ALTER INDEX ${first}_${name} RENAME TO ${table}_${name}`),
  ];
};

/** Reverts the tables to the state before session columns, several chains and monthly partitions. */
const setBack = [
  "ALTER TABLE haft_records DROP COLUMN month",
  "ALTER TABLE haft_entries DROP COLUMN month",
  "DROP INDEX haft_entries_session",
  "ALTER TABLE haft_entries DROP COLUMN session",
  "ALTER TABLE haft_entries DROP COLUMN elsewhere",
  "ALTER TABLE haft_approvals DROP COLUMN asked_at",
  "ALTER TABLE haft_keys DROP COLUMN retention_ms",
  "UPDATE haft_meta SET value = '2' WHERE name = 'schema'",
];

const setBackIn = {
  SQLite: ["ALTER TABLE haft_anchor DROP COLUMN chain"],
  PostgreSQL: [
    ...inOneTable("haft_records", ["rare", "steps"]),
    ...inOneTable("haft_entries", ["run", "call", "at", "tool", "ending", "session", "agent", "elsewhere"]),
    "DROP TABLE haft_chains",
    "DROP TABLE haft_roots",
    "ALTER TABLE haft_anchor DROP COLUMN chain",
    "DROP INDEX haft_entries_at",
    "DROP INDEX haft_entries_agent",
    "DROP INDEX haft_runs_started",
  ],
};

const filling = (name: keyof typeof setBackIn, make: () => Promise<Place>): void => {
  describe(`ledger in ${name} without a session column`, () => {
    /** A ledger filled by `write` whose tables are then reverted. */
    const leftOld = async (write: (ledger: DurableLedger) => Promise<void>): Promise<Place> => {
      const place = await make();
      const ledger = await place.open();
      await write(ledger);
      await ledger.end();
      for (const sql of [...setBackIn[name], ...setBack]) await place.change(sql);
      return place;
    };
    const found = async (ledger: DurableLedger, session: string) =>
      (await runLedgerEffect(ledger.entries({ session }))).map(({ entryId }) => entryId);

    it("fills it from the chain, finds old and new calls by session, and verifies", async () => {
      const odd = "te\0st\ud800 '\"\\ \u2028😀";
      const secret = `chat of ${ledgerSecret}`;
      const { open } = await leftOld(async (ledger) => {
        await runLedgerEffect(ledger.open(createOpening("1", { session: "chat" })));
        await runLedgerEffect(ledger.close(createClosing("1")));
        // Text that no database can store as JSON.
        await runLedgerEffect(ledger.open(createOpening("2", { session: odd, agent: odd, input: odd })));
        await runLedgerEffect(ledger.open(createOpening("3", { input: '{"session":"chat"}' })));
        await runLedgerEffect(ledger.open(createOpening("4", { session: secret })));
        await runLedgerEffect(ledger.open(createOpening("5", { session: "chat" })));
        await runLedgerEffect(ledger.close(createClosing("5", { ending: "hydrated" })));
        await runLedgerEffect(ledger.open(createOpening("5", { session: "chat" })));
      });
      const ledger = await open();
      await runLedgerEffect(ledger.open(createOpening("6", { session: "chat" })));
      expect(await found(ledger, "chat")).toEqual(["1", "5", "6"]);
      expect([await found(ledger, odd), await found(ledger, secret)]).toEqual([["2"], ["4"]]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("fills it for thousands of calls", async () => {
      const count = 2_500;
      const { open } = await leftOld(async (ledger) => {
        const ids = Array.from({ length: count }, (_, i) => i);
        await Promise.all(
          ids.map((i) =>
            runLedgerEffect(
              ledger.open(createOpening(String(i), i % 2 === 0 ? {} : { session: `chat ${i % 5}` })),
            ),
          ),
        );
      });
      const ledger = await open();
      let all = 0;
      for (const i of [0, 1, 2, 3, 4]) all += (await found(ledger, `chat ${i}`)).length;
      expect(all).toBe(count / 2);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("opens despite an unreadable row, which verify reports", async () => {
      const { open, change } = await leftOld(async (ledger) => {
        await runLedgerEffect(ledger.open(createOpening("1", { session: "chat" })));
        await runLedgerEffect(ledger.open(createOpening("2", { session: "chat" })));
      });
      await change("ALTER TABLE haft_records RENAME TO haft_records_kept_apart");
      await change("CREATE TABLE haft_records AS SELECT * FROM haft_records_kept_apart");
      await change(`UPDATE haft_records SET body = '{"session":' WHERE entry_id = '1' AND kind = 'opened'`);
      const ledger = await open();
      expect(await found(ledger, "chat")).toEqual(["2"]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: false, broken: { seq: 1 } });
    });
  });
};

const { fresh, open: openSqlite, connect } = useSqliteFolder();
filling("SQLite", async () => {
  const path = fresh();
  return { open: () => openSqlite(path), change: async (sql) => connect(path).exec(sql) };
});

const world = usePostgres();
let opened: DurableLedger[] = [];
afterEach(async () => {
  for (const ledger of opened) await ledger.end();
  opened = [];
});
filling("PostgreSQL", async () => {
  const url = await world.freshSchema();
  return {
    open: async () => {
      const ledger = await openDurableLedger(url, { redactor: testMasking, key: "01".repeat(32) });
      opened.push(ledger);
      return ledger;
    },
    change: async (sql) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(sql).finally(() => client.end());
    },
  };
});
