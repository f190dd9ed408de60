import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { PruneOptions, PruneResult } from "../../../types/durable-ledger.ts";
import type { LedgerError } from "../../../types/errors.ts";
import type { ReclaimResult, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import type { DurableStore } from "../durable-store.ts";
import { fromPromise } from "../from-promise.ts";
import type { Operation } from "../group-writer.ts";
import { holdsKeySql } from "../keys/release-key.ts";
import { dropMonths } from "../months/drop-months.ts";
import type { Transaction } from "../transaction.ts";
import { readBeginning, readLastSeq } from "./chain-keys.ts";
import { chainsWithRows } from "./chains.ts";
import { chainOf, chainStart } from "./signed-row.ts";

const initialBatchSize = 500;
const batchTiming = { target: 20, least: 50, most: 1_000 };
const batchesPerReclaim = 3;
/** At least this long after each transaction, so that other writers get in. */
const minPauseMs = 2;

type PruneCounts = Pick<PruneResult, "rows" | "entries" | "payloads">;

/**
 * Drops whole months, then the beginning of each chain up to the first row that must stay. Each transaction
 * leaves a valid ledger, so pruning can stop and resume.
 */
export const pruneChain = (
  store: DurableStore,
  before: number,
  { signal, onProgress, rewrite = false }: PruneOptions,
): Effect.Effect<PruneResult, LedgerError> =>
  Effect.gen(function* () {
    const isStopped = (): boolean => signal?.aborted === true;
    const reclaim = (isLast: boolean) =>
      fromPromise(
        async () => (await store.database.reclaim?.({ isStopped, isLast, rewrite })) ?? nothingReclaimed,
      );
    // Rows written from now on stay.
    const chains = yield* fromPromise(() => store.database.read(readBounds));
    const total = chains.reduce((sum, { first, last }) => sum + last - first, 0);
    const onRows = (rows: number): void => onProgress?.({ done: rows, total });
    const months = yield* dropMonths(store, { before, isStopped, onRows });
    let counts: PruneCounts = { rows: months.rows, entries: months.entries, payloads: months.payloads };
    let freedBytes = months.freedBytes;
    let size = initialBatchSize;
    let pieces = 0;
    // A row of a call from another chain stays until that chain is pruned.
    for (let pruned = -1; pruned < counts.rows && !isStopped(); ) {
      pruned = counts.rows;
      for (const { chain, last } of chains) {
        for (let isLast = false; !isLast && !isStopped(); ) {
          const began = performance.now();
          const piece = yield* store.writer.write(() =>
            pruneBatch({ chain, before, last, size, at: store.now(), dialect: store.dialect }),
          );
          const tookMs = performance.now() - began;
          counts = addCounts(counts, piece);
          isLast = piece.isLast;
          if (piece.rows > 0) onProgress?.({ done: counts.rows, total });
          size = nextBatchSize(size, tookMs, batchTiming);
          if (isLast) break;
          pieces += 1;
          if (pieces % batchesPerReclaim === 0) freedBytes += (yield* reclaim(false)).freedBytes;
          yield* Effect.sleep(Math.max(minPauseMs, tookMs));
        }
      }
    }
    const isComplete = !isStopped() && months.isComplete;
    if (isComplete && store.dialect.hasChains) yield* store.writer.write(() => pruneAnchors(before));
    if (isComplete) yield* fromPromise(() => removeOrphanedFiles(store));
    const space = counts.rows === months.rows && !rewrite ? nothingReclaimed : yield* reclaim(true);
    return { ...counts, isComplete, ...space, freedBytes: freedBytes + space.freedBytes };
  });

/** Milliseconds and rows. */
interface BatchTiming {
  readonly target: number;
  readonly least: number;
  readonly most: number;
}

export const nextBatchSize = (size: number, tookMs: number, { target, least, most }: BatchTiming): number => {
  const fitting = Math.round(size * Math.min(2, Math.max(0.5, target / Math.max(tookMs, 0.1))));
  return Math.min(most, Math.max(least, fitting));
};

export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const nothingReclaimed: ReclaimResult = { freedBytes: 0, unreturnedBytes: 0 };

const addCounts = (one: PruneCounts, other: PruneCounts): PruneCounts => ({
  rows: one.rows + other.rows,
  entries: one.entries + other.entries,
  payloads: one.payloads + other.payloads,
});

interface ChainBounds {
  readonly chain: number;
  readonly first: number;
  readonly last: number;
}

function* readBounds(): Script<readonly ChainBounds[]> {
  const bounds: ChainBounds[] = [];
  for (const chain of yield* chainsWithRows()) {
    const beginning = yield* readBeginning(chain);
    bounds.push({ chain, first: beginning.seq, last: yield* readLastSeq(chain, beginning) });
  }
  return bounds;
}

interface PruneBatch {
  readonly dialect: SqlDialect;
  readonly chain: number;
  readonly before: number;
  readonly last: number;
  readonly size: number;
  readonly at: number;
}

const pruneBatch = ({
  dialect,
  chain,
  before,
  last,
  size,
  at,
}: PruneBatch): Operation<PruneCounts & { readonly isLast: boolean }> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const [beginning] = yield {
      sql: `SELECT seq FROM haft_anchor WHERE chain = ? ${dialect.lockRows}`,
      values: [chain],
    };
    const from = Number(beginning?.seq ?? chainStart(chain));
    // The next owner of another chain learns its key from the last row.
    const mostUpTo = chainOf(transaction.head.seq) === chain ? last : last - 1;
    const range = [from, Math.min(from + size, mostUpTo)] as const;
    const upTo = Math.min(
      yield* lastPrunableSeq(before, range, at),
      yield* lastUnreferencedSeq(dialect, range),
    );
    if (upTo <= from) return { rows: 0, entries: 0, payloads: 0, isLast: true };
    const [row] = yield { sql: "SELECT hash FROM haft_records WHERE seq = ?", values: [upTo] };
    const hash = String(row?.hash);
    yield { sql: "UPDATE haft_anchor SET seq = ?, hash = ? WHERE chain = ?", values: [upTo, hash, chain] };
    const { entries, payloads } = yield* dropEntries(transaction, [from, upTo]);
    yield* dropRuns(transaction, [from, upTo]);
    const rows = yield* deleteCounted("DELETE FROM haft_records WHERE seq > ? AND seq <= ?", [from, upTo]);
    const body = canonicalJson({ upTo, hash, rows, entries });
    transaction.append({ at, kind: "pruned", entryId: null, runId: null, body });
    return { rows, entries, payloads, isLast: upTo >= mostUpTo };
  },
});

type SeqRange = readonly [after: number, upTo: number];

function* dropEntries(
  transaction: Transaction,
  range: SeqRange,
): Script<Pick<PruneCounts, "entries" | "payloads">> {
  const ofThem = "entry_id IN (SELECT entry_id FROM haft_entries WHERE open_seq > ? AND open_seq <= ?)";
  const payloads = yield {
    sql: `DELETE FROM haft_payloads WHERE ${ofThem} RETURNING file`,
    values: range,
  };
  transaction.trash(payloads);
  yield { sql: `DELETE FROM haft_keys WHERE ${ofThem}`, values: range };
  yield { sql: `DELETE FROM haft_approvals WHERE ${ofThem}`, values: range };
  const entries = yield* deleteCounted(
    "DELETE FROM haft_entries WHERE open_seq > ? AND open_seq <= ?",
    range,
  );
  return { entries, payloads: payloads.length };
}

function* dropRuns(transaction: Transaction, range: SeqRange): Script<void> {
  const messages = yield {
    sql: `DELETE FROM haft_run_messages
          WHERE run_id IN (SELECT run_id FROM haft_runs WHERE began_seq > ? AND began_seq <= ?) RETURNING file`,
    values: range,
  };
  transaction.trash(messages);
  yield { sql: "DELETE FROM haft_runs WHERE began_seq > ? AND began_seq <= ?", values: range };
}

function* deleteCounted(repeat: string, range: SeqRange): Script<number> {
  const [row] = yield { repeat, each: [range] };
  return Number(row?.changed ?? 0);
}

/** The rest starts with a whole anchor and can still be verified. */
const pruneAnchors = (before: number): Operation<void> => ({
  entryIds: [],
  *run() {
    yield {
      post: `DELETE FROM haft_roots WHERE number <
               (SELECT COALESCE(MAX(number), 0) FROM haft_roots WHERE is_whole AND at < ?)`,
      values: [before],
    };
  },
});

function* lastPrunableSeq(before: number, range: SeqRange, at: number): Script<number> {
  const [row] = yield {
    sql: `SELECT (SELECT MIN(seq) FROM haft_records WHERE seq > ? AND seq <= ? AND at >= ?) AS newer,
      (SELECT MIN(open_seq) FROM haft_entries WHERE open_seq > ? AND open_seq <= ?
       AND (ending NOT IN ('executed', 'failed', 'unknown', 'settled') OR closed_at >= ?)) AS alive,
      (SELECT MIN(began_seq) FROM haft_runs WHERE began_seq > ? AND began_seq <= ?
       AND status IN ('running', 'pending')) AS running,
      (SELECT MIN(e.open_seq) FROM haft_entries e WHERE e.open_seq > ? AND e.open_seq <= ? AND ${holdsKeySql("e")}) AS keyed`,
    values: [...range, before, ...range, before, ...range, ...range, at],
  };
  const { newer = null, alive = null, running = null, keyed = null } = row ?? {};
  return Math.min(
    range[1],
    ...[newer, alive, running, keyed].flatMap((seq) => (seq === null ? [] : [Number(seq) - 1])),
  );
}

/** Rows of kept entries and runs of other chains must stay. */
function* lastUnreferencedSeq({ hasChains }: SqlDialect, [after, upTo]: SeqRange): Script<number> {
  if (!hasChains) return upTo;
  const range = [after, upTo] as const;
  const [row] = yield {
    sql: `SELECT (SELECT MIN(r.seq) FROM haft_records r JOIN haft_entries e ON e.entry_id = r.entry_id
        WHERE r.seq > ? AND r.seq <= ? AND e.elsewhere IS NOT NULL AND NOT (e.open_seq > ? AND e.open_seq <= ?)) AS entry,
      (SELECT MIN(r.seq) FROM haft_records r JOIN haft_runs h ON h.run_id = r.run_id
        WHERE r.seq > ? AND r.seq <= ? AND r.entry_id IS NULL AND NOT (h.began_seq > ? AND h.began_seq <= ?)) AS run`,
    values: [...range, ...range, ...range, ...range],
  };
  const { entry = null, run = null } = row ?? {};
  return Math.min(upTo, ...[entry, run].flatMap((seq) => (seq === null ? [] : [Number(seq) - 1])));
}

const minOrphanAgeMs = 3_600_000;

/** Young files may belong to a row that is being written. */
const removeOrphanedFiles = async ({ database, blobs, now }: DurableStore): Promise<void> => {
  if (blobs === undefined) return;
  const named = await database.read(function* () {
    const rows = yield {
      sql: `SELECT file FROM haft_payloads WHERE file IS NOT NULL
            UNION ALL SELECT file FROM haft_run_messages WHERE file IS NOT NULL`,
      values: [],
    };
    return new Set(rows.map(({ file }) => file));
  });
  blobs.remove(blobs.leftBehind((file) => named.has(file), now() - minOrphanAgeMs));
};
