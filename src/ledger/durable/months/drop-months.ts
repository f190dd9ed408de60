import * as Effect from "effect/Effect";
import type { LedgerError } from "../../../words/errors.ts";
import { asking } from "../asking.ts";
import { readBeginning } from "../chain/beginning.ts";
import type { Script } from "../database.ts";
import type { Store } from "../store.ts";
import { closeMonth, detachTable, dropDetached, reopenMonth } from "./detach-months.ts";
import { monthOf } from "./month.ts";
import { type MonthPair, readStretches, type Stretch, surveyMonth } from "./month-survey.ts";
import { type MonthlyTable, monthlyTables } from "./month-tables.ts";
import { readMonthTables } from "./months.ts";
import { droppingBelongings, lettingMonthGo, readBelongings } from "./prune-months.ts";

/** What went with whole months. */
export interface DroppedMonths {
  readonly rows: number;
  readonly entries: number;
  readonly payloads: number;
  readonly freedBytes: number;
  /** False where a table of a month that went could not be dropped yet: the next pruning does that. */
  readonly isComplete: boolean;
}

export interface DroppingMonths {
  readonly before: number;
  readonly isStopped: () => boolean;
  /** So many rows went. */
  readonly onRows: (rows: number) => void;
}

const nothing: DroppedMonths = { rows: 0, entries: 0, payloads: 0, freedBytes: 0, isComplete: true };

/**
 * Takes away whole months, oldest first, up to the first that must stay at least in part. A month is closed, looked
 * through, declared pruned, and then its tables are detached beside whoever reads and writes. Stopped or killed at any
 * point it leaves a whole ledger, and the next pruning goes on.
 */
export const dropMonths = (
  store: Store,
  dropping: DroppingMonths,
): Effect.Effect<DroppedMonths, LedgerError> =>
  Effect.gen(function* () {
    const { database, dialect } = store;
    if (!dialect.hasMonths || database.alter === undefined) return nothing;
    let sum = nothing;
    for (;;) {
      if (dropping.isStopped()) return { ...sum, isComplete: false };
      const next = yield* asking(() => database.read(() => nextMonth(dropping.before, store.now())));
      if (next === undefined) break;
      const dropped = yield* dropMonth(store, dropping, next);
      if (dropped === undefined) break;
      sum = plus(sum, dropped);
      if (!dropped.isComplete) break;
    }
    const leftOver = yield* asking(() => dropDetached(store));
    return { ...sum, freedBytes: sum.freedBytes + leftOver };
  });

const plus = (one: DroppedMonths, other: DroppedMonths): DroppedMonths => ({
  rows: one.rows + other.rows,
  entries: one.entries + other.entries,
  payloads: one.payloads + other.payloads,
  freedBytes: one.freedBytes + other.freedBytes,
  isComplete: one.isComplete && other.isComplete,
});

interface NextMonth extends MonthPair {
  /** It was declared pruned before, and is still there. */
  readonly isGoing: boolean;
}

/** The oldest month, if it was over before that time and a newer one takes what is written. */
function* nextMonth(before: number, now: number): Script<NextMonth | undefined> {
  const tables = yield* readMonthTables();
  const last = tables[0]?.last;
  if (last === undefined) return undefined;
  const [from] = yield { sql: "SELECT value FROM haft_meta WHERE name = 'months_from'", values: [] };
  const isGoing = Number(from?.value ?? 0) > last;
  const isOver = last < monthOf(before) && last < monthOf(now) && tables.some((table) => table.last > last);
  if (!isGoing && !isOver) return undefined;
  const nameOf = (of: MonthlyTable): string | undefined =>
    tables.find((table) => table.last === last && table.of === of)?.name;
  return { last, records: nameOf("haft_records"), entries: nameOf("haft_entries"), isGoing };
}

const dropMonth = (
  store: Store,
  { before, isStopped, onRows }: DroppingMonths,
  month: NextMonth,
): Effect.Effect<DroppedMonths | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { database } = store;
    const going = yield* asking(() => database.read(() => readGoing(month)));
    const stretches = going ?? (yield* letGo(store, { before, isStopped, onRows }, month));
    if (stretches === undefined) return undefined;
    const rows = stretches.reduce((all, stretch) => all + stretch.rows, 0);
    const entries = yield* asking(() => database.read(() => countEntries(month)));
    onRows(rows);
    const payloads = yield* dropBelongings(store, month, stretches, isStopped);
    if (isStopped()) return { rows, entries, payloads, freedBytes: 0, isComplete: false };
    let freedBytes = 0;
    // Entries first: none must be there whose rows are not.
    for (const of of monthlyTables.toReversed()) {
      const freed = yield* asking(() => detachTable(store, of, month.last));
      if (freed === undefined) return { rows, entries, payloads, freedBytes, isComplete: false };
      freedBytes += freed;
    }
    return { rows, entries, payloads, freedBytes, isComplete: true };
  });

/** What is left of a month that was declared pruned: every chain begins behind what it has there. */
function* readGoing(month: NextMonth): Script<readonly Stretch[] | undefined> {
  if (!month.isGoing) return undefined;
  const stretches = yield* readStretches(month);
  for (const { chain, last } of stretches) if ((yield* readBeginning(chain)).seq < last) return undefined;
  return stretches;
}

/** Behind this the month counts as pruned. Nothing if it must stay, at least in part: then it is as it was. */
const letGo = (
  store: Store,
  { before, isStopped }: DroppingMonths,
  month: MonthPair,
): Effect.Effect<readonly Stretch[] | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { database, dialect, writer, now } = store;
    if (yield* asking(() => database.read(() => isAlive(month)))) return undefined;
    if (!(yield* asking(() => closeMonth(store, month)))) return undefined;
    const survey = yield* asking(() => surveyMonth({ database, isStopped }, month, before));
    if (survey !== undefined && (yield* writer.write(() => lettingMonthGo(dialect, month, survey, now())))) {
      return survey;
    }
    yield* asking(() => reopenMonth(store, month));
    return undefined;
  });

function* countEntries({ entries }: MonthPair): Script<number> {
  if (entries === undefined) return 0;
  const [row] = yield { sql: `SELECT count(*) AS entries FROM ${entries}`, values: [] };
  return Number(row?.entries);
}

/** Nearly every month that must stay is found by this, before it is closed. */
function* isAlive({ entries }: MonthPair): Script<boolean> {
  if (entries === undefined) return false;
  const rows = yield {
    sql: `SELECT 1 FROM ${entries} WHERE ending <> 'executed' AND ending IN ('open', 'pending', 'hydrated') LIMIT 1`,
    values: [],
  };
  return rows.length > 0;
}

const dropBelongings = (
  { database, dialect, writer }: Store,
  month: MonthPair,
  stretches: readonly Stretch[],
  isStopped: () => boolean,
): Effect.Effect<number, LedgerError> =>
  Effect.gen(function* () {
    let payloads = 0;
    let after = Number.MIN_SAFE_INTEGER;
    while (!isStopped()) {
      const from = after;
      const some = yield* asking(() => database.read(() => readBelongings(month, stretches, from)));
      after = some.upTo;
      if (some.entryIds.length + some.approvals.length + some.runIds.length === 0) break;
      payloads += yield* writer.write(() => droppingBelongings(dialect, some));
    }
    return payloads;
  });
