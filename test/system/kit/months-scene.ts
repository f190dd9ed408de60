import { afterEach } from "vitest";
import { redactor } from "../../../src/json/redact.ts";
import type { Database } from "../../../src/ledger/durable/database.ts";
import { durableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { monthOf, startOfMonth } from "../../../src/ledger/durable/months/month.ts";
import type { DurableLedger } from "../../../src/words/durable-ledger.ts";
import { closing, opening, run } from "../../contracts/ledger/rows.ts";
import { queryAt } from "./postgres-place.ts";
import type { PostgresVersion } from "./postgres-programs.ts";
import { postgresWorld } from "./postgres-world.ts";

type Query = (sql: string) => ReturnType<typeof queryAt>;

export interface MonthsPlace {
  readonly url: string;
  readonly query: Query;
  /** A store whose clock stands where `clock` says. */
  readonly open: (more?: { readonly database?: (inner: Database) => Database }) => Promise<DurableLedger>;
  readonly clock: { now: number };
}

export const thisMonth = monthOf(Date.now());

/** A while after a month began, counted from this one. */
export const within = (months: number): number => startOfMonth(thisMonth + months) + 3_600_000;

/** One call, from its beginning to its end. */
export const pair = async (ledger: DurableLedger, id: string, at: number): Promise<void> => {
  await run(ledger.open(opening(id, { at })));
  await run(ledger.close(closing(id)));
};

export const idsOf = async (ledger: DurableLedger): Promise<readonly string[]> =>
  (await run(ledger.entries())).map(({ entryId }) => entryId);

/** The months that rows of a table are in. */
export const monthsOf = async (query: Query, table: string): Promise<readonly unknown[]> =>
  (await query(`SELECT DISTINCT month FROM ${table} ORDER BY month`)).map(({ month }) => month);

/** The tables of all months, by name. */
export const tablesOf = async (query: Query): Promise<readonly string[]> =>
  (
    await query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
      AND (tablename LIKE 'haft_records%' OR tablename LIKE 'haft_entries%') ORDER BY 1`)
  ).map(({ name }) => String(name));

/** Ledgers on PostgreSQL whose clocks a test moves from month to month; all are closed when their test ends. */
export const monthsScene = (version: PostgresVersion) => {
  const world = postgresWorld(version);
  let stores: DurableLedger[] = [];
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.end()));
    stores = [];
  });
  const keys = [new Uint8Array(32).fill(7)];

  const place = async (): Promise<MonthsPlace> => {
    const url = await world.migrated();
    const clock = { now: within(0) };
    const open: MonthsPlace["open"] = async ({ database = (inner: Database) => inner } = {}) => {
      const store = await durableLedger(database(await world.open(url)), {
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

  /** Calls in each of three months, by one store whose clock goes on. */
  const threeMonths = async (): Promise<MonthsPlace & { readonly ledger: DurableLedger }> => {
    const at = await place();
    const ledger = await at.open();
    for (const month of [0, 1, 2]) {
      at.clock.now = within(month);
      for (const n of [1, 2, 3]) await pair(ledger, `${month}-${n}`, at.clock.now);
    }
    return { ...at, ledger };
  };
  return { world, place, threeMonths };
};
