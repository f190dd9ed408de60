import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import type { MonthlyTable } from "./month-tables.ts";
import { closedConstraint, type MonthTable, readMonthTables } from "./months.ts";
import type { MonthTablePair } from "./survey-month.ts";

/** Other statements queue behind a waiting table lock. */
const lockTimeoutMs = 30;
/** DETACH CONCURRENTLY blocks no one. */
const detachTimeoutMs = 5_000;
const maxAttempts = 20;
const pauseMs = 100;

/** A check constraint refuses new rows. */
export const closeMonth = async (store: DurableStore, month: MonthTablePair): Promise<boolean> => {
  for (const name of [month.records, month.entries]) {
    if (name === undefined) continue;
    const isDone = await retryWhileBusy(async () => {
      const tables = await store.database.read(readMonthTables);
      if (tables.find((table) => table.name === name)?.isClosed !== false) return "done";
      return alterTable(
        store,
        `ALTER TABLE ${name} ADD CONSTRAINT ${closedConstraint} CHECK (false) NOT VALID`,
      );
    });
    if (isDone) continue;
    await reopenMonth(store, month);
    return false;
  }
  return true;
};

export const reopenMonth = async (store: DurableStore, month: MonthTablePair): Promise<void> => {
  for (const name of [month.records, month.entries]) {
    if (name === undefined) continue;
    await retryWhileBusy(() =>
      alterTable(store, `ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${closedConstraint}`),
    );
  }
};

type AlterResult = "done" | "busy" | "forbidden";

const alterTable = async (
  { database }: DurableStore,
  statement: string,
  patienceMs = lockTimeoutMs,
): Promise<AlterResult> => (await database.alter?.(statement, patienceMs)) ?? "forbidden";

const retryWhileBusy = async (attempt: () => Promise<AlterResult>): Promise<boolean> => {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const result = await attempt();
    if (result !== "busy") return result === "done";
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return false;
};

/** Returns the freed bytes, or undefined if it must be retried later. */
export const detachTable = async (
  store: DurableStore,
  of: MonthlyTable,
  last: number,
): Promise<number | undefined> => {
  const { database } = store;
  const find = async (): Promise<MonthTable | undefined> =>
    (await database.read(readMonthTables)).find((table) => table.of === of && table.last === last);
  const table = await find();
  if (table === undefined) return 0;
  const isDone = await retryWhileBusy(async () => {
    const found = await find();
    if (found === undefined) return "done";
    const how = found.isDetaching ? "FINALIZE" : "CONCURRENTLY";
    return alterTable(store, `ALTER TABLE ${of} DETACH PARTITION ${table.name} ${how}`, detachTimeoutMs);
  });
  return isDone ? dropTable(store, table.name) : undefined;
};

const dropTable = async (store: DurableStore, name: string): Promise<number> => {
  const [size] = await store.database.read(() =>
    select(`pg_total_relation_size(to_regclass('${name}')) AS bytes`),
  );
  const isDone = await retryWhileBusy(() => alterTable(store, `DROP TABLE IF EXISTS ${name}`));
  return isDone ? Number(size?.bytes ?? 0) : 0;
};

export const dropDetached = async (store: DurableStore): Promise<number> => {
  const rows = await store.database.read(() =>
    select(`c.relname AS name FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid
      WHERE k.conname = '${closedConstraint}' AND NOT c.relispartition AND c.relnamespace =
        (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('haft_records'))`),
  );
  let freed = 0;
  for (const { name } of rows) freed += await dropTable(store, String(name));
  return freed;
};

function* select(what: string): Script<readonly Row[]> {
  return yield { sql: `SELECT ${what}`, values: [] };
}
