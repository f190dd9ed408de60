import { canonicalJson } from "../../base/json/canonical-json.ts";
import { chainOf } from "./chain/signed-row.ts";
import { type Row, type Script, type SqlValue, StaleCacheError } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import type { StoredEnding } from "./stored-ending.ts";
import type { Transaction } from "./transaction.ts";

export interface EntryState {
  readonly openSeq: number;
  readonly entryId: string;
  readonly callId: string;
  readonly runId: string;
  readonly agent: string | null;
  readonly session: string | null;
  readonly at: number;
  /** The month of its first row. */
  readonly month: number;
  /** The run is recorded in `haft_runs`. */
  readonly inRun: boolean;
  tool: string;
  ending: StoredEnding;
  owner: string;
  startSeq: number | null;
  closeSeq: number | null;
  /** The last row that changed its ending. */
  lastSeq: number;
  /** `lastSeq` as stored, to detect concurrent changes. */
  was: number;
  closedAt: number | null;
  keyed: boolean;
  payloads: boolean;
  /** Its last row in each other chain, as a JSON array. */
  elsewhere: string | null;
}

/** `elsewhere` once row `seq` is the last one. */
export const lastRowsInOtherChains = (
  { elsewhere, lastSeq }: Pick<EntryState, "elsewhere" | "lastSeq">,
  seq: number,
): string | null => {
  const chain = chainOf(seq);
  if (elsewhere === null && chainOf(lastSeq) === chain) return null;
  const newest = new Map<number, number>();
  for (const each of [...parseOtherChainRows(elsewhere), lastSeq]) {
    if (chainOf(each) !== chain) newest.set(chainOf(each), Math.max(each, newest.get(chainOf(each)) ?? 0));
  }
  return newest.size === 0 ? null : JSON.stringify([...newest.values()].sort((one, other) => one - other));
};

export const parseOtherChainRows = (elsewhere: string | null): readonly number[] =>
  elsewhere === null ? [] : JSON.parse(elsewhere);

export const entryColumns = [
  "open_seq",
  "entry_id",
  "call_id",
  "run_id",
  "tool",
  "agent",
  "at",
  "ending",
  "owner",
  "start_seq",
  "close_seq",
  "last_seq",
  "closed_at",
  "in_run",
  "keyed",
  "payloads",
  "session",
  "elsewhere",
  "month",
] as const;

export const toEntryRow = (entry: EntryState): SqlValue[] => [
  entry.openSeq,
  entry.entryId,
  entry.callId,
  entry.runId,
  entry.tool,
  entry.agent,
  entry.at,
  entry.ending,
  entry.owner,
  entry.startSeq,
  entry.closeSeq,
  entry.lastSeq,
  entry.closedAt,
  Number(entry.inRun),
  Number(entry.keyed),
  Number(entry.payloads),
  entry.session,
  entry.elsewhere,
  entry.month,
];

const numberOrNull = (value: SqlValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export const readEntryState = (row: Row): EntryState => ({
  openSeq: Number(row.open_seq),
  entryId: String(row.entry_id),
  callId: String(row.call_id),
  runId: String(row.run_id),
  tool: String(row.tool),
  agent: row.agent as string | null,
  session: row.session as string | null,
  at: Number(row.at),
  ending: row.ending as EntryState["ending"],
  owner: String(row.owner),
  startSeq: numberOrNull(row.start_seq),
  closeSeq: numberOrNull(row.close_seq),
  lastSeq: Number(row.last_seq),
  was: Number(row.last_seq),
  closedAt: numberOrNull(row.closed_at),
  inRun: row.in_run === 1,
  keyed: row.keyed === 1,
  payloads: row.payloads === 1,
  elsewhere: row.elsewhere as string | null,
  month: Number(row.month),
});

/** The columns of a call's end come first. */
const mutableColumns = {
  tool: "text",
  ending: "text",
  close_seq: "bigint",
  last_seq: "bigint",
  closed_at: "double precision",
  owner: "text",
  start_seq: "bigint",
  keyed: "integer",
  payloads: "integer",
  elsewhere: "text",
} as const;

const mutableColumnNames = Object.keys(mutableColumns);
/** Columns that change when a call ends. */
const endingColumnCount = 5;

const updateOneSql = (columns: readonly string[]): string =>
  `UPDATE haft_entries SET ${columns.map((name) => `${name} = ?`).join(", ")} WHERE open_seq = ? AND last_seq = ?`;
const updateEndingSql = updateOneSql(mutableColumnNames.slice(0, endingColumnCount));
const updateAllColumnsSql = updateOneSql(mutableColumnNames);
/** Named twice to force index lookups; the join alone may scan the table. */
const updateManySql = ({ amongNumbers }: SqlDialect): string =>
  `UPDATE haft_entries AS e SET ${mutableColumnNames.map((name) => `${name} = v.${name}`).join(", ")}
  FROM json_to_recordset(CAST(? AS json))
    AS v(open_seq bigint, was bigint, ${Object.entries(mutableColumns)
      .map((column) => column.join(" "))
      .join(", ")})
  WHERE e.open_seq ${amongNumbers} AND e.month = ? AND e.open_seq = v.open_seq AND e.last_seq = v.was
  RETURNING e.open_seq`;

export type ChangedEntries = ReadonlyMap<EntryState, { readonly isMore: boolean }>;

const toEndingValues = (entry: EntryState): SqlValue[] => {
  const { tool, ending, closeSeq, lastSeq, closedAt, openSeq, was } = entry;
  return [tool, ending, closeSeq, lastSeq, closedAt, openSeq, was];
};

const toAllValues = (entry: EntryState): SqlValue[] => {
  const { tool, ending, closeSeq, lastSeq, closedAt, owner, startSeq, keyed, payloads, openSeq, was } = entry;
  const flags = [Number(keyed), Number(payloads), entry.elsewhere];
  return [tool, ending, closeSeq, lastSeq, closedAt, owner, startSeq, ...flags, openSeq, was];
};

export function* updateEntries(dialect: SqlDialect, changed: ChangedEntries): Script<void> {
  if (dialect.bulkUpdates) yield* updateInBulk(dialect, changed);
  else if ((yield* updateOneByOne(changed)) !== changed.size) {
    throw new StaleCacheError("An entry was changed by another writer.");
  }
  for (const entry of changed.keys()) entry.was = entry.lastSeq;
}

/** One statement per month touches a single partition. */
function* updateInBulk(dialect: SqlDialect, changed: ChangedEntries): Script<void> {
  for (const [month, entries] of Map.groupBy(changed.keys(), (entry) => entry.month)) {
    const rows = entries.map((entry) => {
      const values = toEntryRow(entry);
      return { was: entry.was, ...Object.fromEntries(entryColumns.map((column, i) => [column, values[i]])) };
    });
    const seqs = entries.map(({ openSeq }) => openSeq);
    yield {
      check: updateManySql(dialect),
      values: [JSON.stringify(rows), JSON.stringify(seqs), month],
      rows: rows.length,
    };
  }
}

function* updateOneByOne(changed: ChangedEntries): Script<number> {
  const ends: SqlValue[][] = [];
  const wholes: SqlValue[][] = [];
  for (const [entry, { isMore }] of changed) {
    if (isMore) wholes.push(toAllValues(entry));
    else ends.push(toEndingValues(entry));
  }
  let count = 0;
  for (const step of [
    { repeat: updateEndingSql, each: ends },
    { repeat: updateAllColumnsSql, each: wholes },
  ]) {
    if (step.each.length > 0) count += Number((yield step)[0]?.changed);
  }
  return count;
}

export interface CachedState {
  readonly head: Transaction["head"];
  readonly months: Transaction["months"];
  /** A copy, because a transaction may fail. */
  readonly entry: (entryId: string) => EntryState | undefined;
  readonly run: (runId: string) => Row | undefined;
}

interface EntryCache {
  /** Undefined while other processes write to the same chain. */
  readonly get: () => CachedState | undefined;
  readonly learn: (transaction: Transaction) => void;
  readonly forget: () => void;
}

/** SQLite only: skips the cache after another process wrote. */
const skipsAfterConflict = 50;
const maxCachedEntries = 10_000;
const maxCachedRuns = 10_000;

/** The cache may be stale: conditional writes then fail the transaction, which is retried without it. */
export const createEntryCache = ({ hasChains }: SqlDialect): EntryCache => {
  let last: Pick<Transaction, "head" | "months"> | undefined;
  let remainingSkips = 0;
  const open = new Map<string, EntryState>();
  const runs = new Map<string, Row>();
  const toCachedState = ({ head, months }: Pick<Transaction, "head" | "months">): CachedState => ({
    head,
    months,
    entry: (entryId) => {
      const entry = open.get(entryId);
      return entry === undefined ? undefined : { ...entry };
    },
    run: (runId) => runs.get(runId),
  });
  return {
    get: () => {
      if (last === undefined) return undefined;
      if (remainingSkips === 0) return toCachedState(last);
      remainingSkips -= 1;
      return undefined;
    },
    learn: (transaction) => {
      last = { head: transaction.head, months: transaction.months };
      for (const entry of transaction.touched) {
        if (entry === undefined) continue;
        if (entry.ending === "open" && open.size < maxCachedEntries) open.set(entry.entryId, entry);
        else open.delete(entry.entryId);
      }
      // SQLite locks the whole file, so reading is cheap.
      if (!hasChains) return;
      for (const [runId, run] of transaction.claims.touched) {
        if (transaction.claims.isOwn(run) && runs.size < maxCachedRuns) runs.set(runId, run);
        else runs.delete(runId);
      }
    },
    forget: () => {
      last = undefined;
      open.clear();
      runs.clear();
      remainingSkips = hasChains ? 0 : skipsAfterConflict;
    },
  };
};

const unknownBody = canonicalJson({ ending: "unknown" });

/** The tool may have run, so the call is never repeated automatically. */
export const markUnknown = (transaction: Transaction, entry: EntryState, at: number): void => {
  const { entryId, runId } = entry;
  const seq = transaction.append({
    at,
    kind: "lost",
    entryId,
    runId,
    body: transaction.behind(entry, unknownBody),
  });
  transaction.change(entry, { ending: "unknown", lastSeq: seq, closedAt: at });
};
