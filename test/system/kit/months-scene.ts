import { afterEach } from "vitest";
import { redactor } from "../../../src/base/json/redact.ts";
import type { Database } from "../../../src/ledger/durable/database.ts";
import { createDurableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { monthOf, startOfMonth } from "../../../src/ledger/durable/months/month-tables.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import { createClosing, createOpening, runLedgerEffect } from "../../contracts/ledger/ledger-fixtures.ts";
import type { PostgresVersion } from "./postgres-programs.ts";
import { queryAt } from "./postgres-test-server.ts";
import { usePostgres } from "./use-postgres.ts";

type Query = (sql: string) => ReturnType<typeof queryAt>;

export interface MonthsLedger {
  readonly url: string;
  readonly query: Query;
  /** Opens a store that uses `clock`. */
  readonly open: (more?: { readonly database?: (inner: Database) => Database }) => Promise<DurableLedger>;
  readonly clock: { now: number };
}

export const thisMonth = monthOf(Date.now());

/** A time within a month, relative to the current one. */
export const timeInMonth = (months: number): number => startOfMonth(thisMonth + months) + 3_600_000;

/** One complete call. */
export const writeCall = async (ledger: DurableLedger, id: string, at: number): Promise<void> => {
  await runLedgerEffect(ledger.open(createOpening(id, { at })));
  await runLedgerEffect(ledger.close(createClosing(id)));
};

export const entryIdsOf = async (ledger: DurableLedger): Promise<readonly string[]> =>
  (await runLedgerEffect(ledger.entries())).map(({ entryId }) => entryId);

/** The months of the rows of a table. */
export const monthsOf = async (query: Query, table: string): Promise<readonly unknown[]> =>
  (await query(`SELECT DISTINCT month FROM ${table} ORDER BY month`)).map(({ month }) => month);

/** The names of all monthly partitions. */
export const tablesOf = async (query: Query): Promise<readonly string[]> =>
  (
    await query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
      AND (tablename LIKE 'haft_records%' OR tablename LIKE 'haft_entries%') ORDER BY 1`)
  ).map(({ name }) => String(name));

/** PostgreSQL ledgers with an injected clock, closed when their test ends. */
export const monthsScene = (version: PostgresVersion) => {
  const world = usePostgres(version);
  let stores: DurableLedger[] = [];
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.end()));
    stores = [];
  });
  const keys = [new Uint8Array(32).fill(7)];

  const openLedger = async (): Promise<MonthsLedger> => {
    const url = await world.migrated();
    const clock = { now: timeInMonth(0) };
    const open: MonthsLedger["open"] = async ({ database = (inner: Database) => inner } = {}) => {
      const store = await createDurableLedger(database(await world.open(url)), {
        redactor: redactor({ secrets: () => [] }),
        place: "postgres",
        keys,
        now: () => clock.now,
      });
      stores.push(store);
      return store;
    };
    return { url, query: (sql) => queryAt(url, sql), open, clock };
  };

  /** Calls in three months by one store. */
  const threeMonths = async (): Promise<MonthsLedger & { readonly ledger: DurableLedger }> => {
    const at = await openLedger();
    const ledger = await at.open();
    for (const month of [0, 1, 2]) {
      at.clock.now = timeInMonth(month);
      for (const n of [1, 2, 3]) await writeCall(ledger, `${month}-${n}`, at.clock.now);
    }
    return { ...at, ledger };
  };
  return { world, place: openLedger, threeMonths };
};
