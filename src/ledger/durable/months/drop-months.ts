import * as Effect from "effect/Effect";
import type { LedgerError } from "../../../types/errors.ts";
import { readBeginning } from "../chain/chain-keys.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import { fromPromise } from "../from-promise.ts";
import { holdsKeySql } from "../keys/release-key.ts";
import { deleteMonthData, markMonthPruned, readMonthData } from "./mark-month-pruned.ts";
import { type MonthlyTable, monthlyTables, monthOf } from "./month-tables.ts";
import { closedConstraint, type MonthTable, readMonthTables } from "./months.ts";
import { type ChainSegment, type MonthTablePair, readChainSegments, surveyMonth } from "./survey-month.ts";

export interface DropMonthsResult {
  readonly rows: number;
  readonly entries: number;
  readonly payloads: number;
  readonly freedBytes: number;
  readonly isComplete: boolean;
}

export interface DropMonthsOptions {
  readonly before: number;
  readonly isStopped: () => boolean;
  readonly onRows: (rows: number) => void;
}

const nothingDropped: DropMonthsResult = {
  rows: 0,
  entries: 0,
  payloads: 0,
  freedBytes: 0,
  isComplete: true,
};

/**
 * Drops whole months, oldest first, while others read and write. Interrupted at any point, the ledger stays
 * valid and the next pruning continues.
 */
export const dropMonths = (
  store: DurableStore,
  dropping: DropMonthsOptions,
): Effect.Effect<DropMonthsResult, LedgerError> =>
  Effect.gen(function* () {
    const { database, dialect } = store;
    if (!dialect.hasMonths || database.alter === undefined) return nothingDropped;
    let sum = nothingDropped;
    for (;;) {
      if (dropping.isStopped()) return { ...sum, isComplete: false };
      const next = yield* fromPromise(() => database.read(() => nextMonth(dropping.before, store.now())));
      if (next === undefined) break;
      const dropped = yield* dropMonth(store, dropping, next);
      if (dropped === undefined) break;
      sum = addResults(sum, dropped);
      if (!dropped.isComplete) break;
    }
    const leftOver = yield* fromPromise(() => dropDetached(store));
    return { ...sum, freedBytes: sum.freedBytes + leftOver };
  });

/** Other statements queue behind a waiting table lock. */
const lockTimeoutMs = 30;
/** DETACH CONCURRENTLY blocks no one. */
const detachTimeoutMs = 5_000;
const maxAttempts = 20;
const pauseMs = 100;

/** A check constraint refuses new rows. */
const closeMonth = async (store: DurableStore, month: MonthTablePair): Promise<boolean> => {
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

const reopenMonth = async (store: DurableStore, month: MonthTablePair): Promise<void> => {
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
const detachTable = async (
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

const dropDetached = async (store: DurableStore): Promise<number> => {
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

const addResults = (one: DropMonthsResult, other: DropMonthsResult): DropMonthsResult => ({
  rows: one.rows + other.rows,
  entries: one.entries + other.entries,
  payloads: one.payloads + other.payloads,
  freedBytes: one.freedBytes + other.freedBytes,
  isComplete: one.isComplete && other.isComplete,
});

interface NextMonth extends MonthTablePair {
  /** Marked as pruned, but its tables still exist. */
  readonly isMarkedPruned: boolean;
}

/** It must have ended before `before`, and a newer month must exist. */
function* nextMonth(before: number, now: number): Script<NextMonth | undefined> {
  const tables = yield* readMonthTables();
  const last = tables[0]?.last;
  if (last === undefined) return undefined;
  const [from] = yield { sql: "SELECT value FROM haft_meta WHERE name = 'months_from'", values: [] };
  const isMarkedPruned = Number(from?.value ?? 0) > last;
  const isOver = last < monthOf(before) && last < monthOf(now) && tables.some((table) => table.last > last);
  if (!isMarkedPruned && !isOver) return undefined;
  const nameOf = (of: MonthlyTable): string | undefined =>
    tables.find((table) => table.last === last && table.of === of)?.name;
  return {
    last,
    records: nameOf("haft_records"),
    entries: nameOf("haft_entries"),
    isMarkedPruned: isMarkedPruned,
  };
}

const dropMonth = (
  store: DurableStore,
  { before, isStopped, onRows }: DropMonthsOptions,
  month: NextMonth,
): Effect.Effect<DropMonthsResult | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { database } = store;
    const markedSegments = yield* fromPromise(() => database.read(() => readMarkedPruned(month)));
    const segments =
      markedSegments ?? (yield* closeAndMarkMonth(store, { before, isStopped, onRows }, month));
    if (segments === undefined) return undefined;
    const rows = segments.reduce((all, stretch) => all + stretch.rows, 0);
    const entries = yield* fromPromise(() => database.read(() => countEntries(month)));
    onRows(rows);
    const payloads = yield* deleteMonthDataInBatches(store, month, segments, isStopped);
    if (isStopped()) return { rows, entries, payloads, freedBytes: 0, isComplete: false };
    let freedBytes = 0;
    // No entry may lack its rows.
    for (const of of monthlyTables.toReversed()) {
      const freed = yield* fromPromise(() => detachTable(store, of, month.last));
      if (freed === undefined) return { rows, entries, payloads, freedBytes, isComplete: false };
      freedBytes += freed;
    }
    return { rows, entries, payloads, freedBytes, isComplete: true };
  });

function* readMarkedPruned(month: NextMonth): Script<readonly ChainSegment[] | undefined> {
  if (!month.isMarkedPruned) return undefined;
  const segments = yield* readChainSegments(month);
  for (const { chain, last } of segments) if ((yield* readBeginning(chain)).seq < last) return undefined;
  return segments;
}

/** Undefined if the month must stay; it is then reopened. */
const closeAndMarkMonth = (
  store: DurableStore,
  { before, isStopped }: DropMonthsOptions,
  month: MonthTablePair,
): Effect.Effect<readonly ChainSegment[] | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { database, dialect, writer, now } = store;
    if (yield* fromPromise(() => database.read(() => hasLiveEntries(month, now())))) return undefined;
    if (!(yield* fromPromise(() => closeMonth(store, month)))) return undefined;
    const survey = yield* fromPromise(() => surveyMonth({ database, isStopped }, month, before));
    if (survey !== undefined && (yield* writer.write(() => markMonthPruned(dialect, month, survey, now())))) {
      return survey;
    }
    yield* fromPromise(() => reopenMonth(store, month));
    return undefined;
  });

function* countEntries({ entries }: MonthTablePair): Script<number> {
  if (entries === undefined) return 0;
  const [row] = yield { sql: `SELECT count(*) AS entries FROM ${entries}`, values: [] };
  return Number(row?.entries);
}

/** Cheap check before closing a month. */
function* hasLiveEntries({ entries }: MonthTablePair, now: number): Script<boolean> {
  if (entries === undefined) return false;
  const rows = yield {
    sql: `SELECT 1 FROM ${entries} WHERE ending <> 'executed' AND ending IN ('open', 'pending', 'hydrated') LIMIT 1`,
    values: [],
  };
  if (rows.length > 0) return true;
  const keyed = yield { sql: `SELECT 1 FROM ${entries} e WHERE ${holdsKeySql("e")} LIMIT 1`, values: [now] };
  return keyed.length > 0;
}

const deleteMonthDataInBatches = (
  { database, dialect, writer }: DurableStore,
  month: MonthTablePair,
  segments: readonly ChainSegment[],
  isStopped: () => boolean,
): Effect.Effect<number, LedgerError> =>
  Effect.gen(function* () {
    let payloads = 0;
    let after = Number.MIN_SAFE_INTEGER;
    while (!isStopped()) {
      const from = after;
      const some = yield* fromPromise(() => database.read(() => readMonthData(month, segments, from)));
      after = some.upTo;
      if (some.entryIds.length + some.approvals.length + some.runIds.length === 0) break;
      payloads += yield* writer.write(() => deleteMonthData(dialect, some));
    }
    return payloads;
  });
