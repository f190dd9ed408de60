import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Pruned, PruneOptions } from "../../../words/durable-ledger.ts";
import type { LedgerError } from "../../../words/errors.ts";
import { asking } from "../asking.ts";
import type { Reclaimed, Script } from "../database.ts";
import type { Store } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { Operation } from "../writer.ts";
import { readAnchor, readLastSeq } from "./anchor.ts";
import { nextSize } from "./pace.ts";

/** Rows of the first transaction, and how long the others should take. */
const firstSize = 500;
const paceMs = { target: 20, least: 50, most: 1_000 };
/** So many transactions, and their space is given back. */
const piecesPerReclaim = 3;
/** The pause behind a transaction is as long as it was, and never shorter than this: others write meanwhile. */
const leastPauseMs = 2;

type Counts = Pick<Pruned, "rows" | "entries" | "payloads">;

/**
 * Takes away the beginning of the chain, as far as nothing in it can still go on: up to the first row that is newer,
 * or that opened an entry or began a run which was not over before that time. Each transaction takes a few rows and
 * leaves a whole ledger, so it may be stopped behind any of them and taken up again.
 */
export const pruneChain = (
  store: Store,
  before: number,
  { signal, onProgress, rewrite = false }: PruneOptions,
): Effect.Effect<Pruned, LedgerError> =>
  Effect.gen(function* () {
    const isStopped = (): boolean => signal?.aborted === true;
    const reclaim = (isLast: boolean) =>
      asking(async () => (await store.database.reclaim?.({ isStopped, isLast, rewrite })) ?? noSpace);
    // What is written from here on stays, the rows about pruning among it.
    const { first, last } = yield* asking(() => store.database.read(readBounds));
    let counts: Counts = { rows: 0, entries: 0, payloads: 0 };
    let freedBytes = 0;
    let isComplete = false;
    let size = firstSize;
    for (let pieces = 1; !isComplete && !isStopped(); pieces += 1) {
      const began = performance.now();
      const piece = yield* store.writer.write(() => pruning({ before, last, size, at: store.now() }));
      const tookMs = performance.now() - began;
      counts = plus(counts, piece);
      isComplete = piece.isLast;
      onProgress?.({ done: counts.rows, total: last - first });
      size = nextSize(size, tookMs, paceMs);
      if (isComplete) break;
      if (pieces % piecesPerReclaim === 0) freedBytes += (yield* reclaim(false)).freedBytes;
      yield* Effect.sleep(Math.max(leastPauseMs, tookMs));
    }
    if (!isStopped()) yield* asking(() => sweep(store));
    const space = counts.rows === 0 && !rewrite ? noSpace : yield* reclaim(true);
    return { ...counts, isComplete, ...space, freedBytes: freedBytes + space.freedBytes };
  });

const noSpace: Reclaimed = { freedBytes: 0, unreturnedBytes: 0 };

const plus = (one: Counts, other: Counts): Counts => ({
  rows: one.rows + other.rows,
  entries: one.entries + other.entries,
  payloads: one.payloads + other.payloads,
});

function* readBounds(): Script<{ readonly first: number; readonly last: number }> {
  const anchor = yield* readAnchor();
  return { first: anchor.seq, last: yield* readLastSeq(anchor) };
}

interface Piece {
  readonly before: number;
  readonly last: number;
  readonly size: number;
  readonly at: number;
}

/** One transaction of at most so many rows. The anchor it moves is confirmed by the row it appends. */
const pruning = ({ before, last, size, at }: Piece): Operation<Counts & { readonly isLast: boolean }> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const anchor = yield* readAnchor();
    const upTo = yield* lastPrunable(before, anchor.seq, Math.min(anchor.seq + size, last));
    if (upTo <= anchor.seq) return { rows: 0, entries: 0, payloads: 0, isLast: true };
    const [row] = yield { sql: "SELECT hash FROM haft_records WHERE seq = ?", values: [upTo] };
    const hash = String(row?.hash);
    yield { sql: "UPDATE haft_anchor SET seq = ?, hash = ?", values: [upTo, hash] };
    const { entries, payloads } = yield* dropEntries(transaction, upTo);
    yield* dropRuns(transaction, upTo);
    const rows = yield* countOf("DELETE FROM haft_records WHERE seq <= ?", upTo);
    const body = canonicalJson({ upTo, hash, rows, entries });
    transaction.append({ at, kind: "pruned", entryId: null, runId: null, body });
    return { rows, entries, payloads, isLast: upTo >= last };
  },
});

function* dropEntries(transaction: Transaction, upTo: number): Script<Pick<Counts, "entries" | "payloads">> {
  const ofThem = "entry_id IN (SELECT entry_id FROM haft_entries WHERE open_seq <= ?)";
  const payloads = yield {
    sql: `DELETE FROM haft_payloads WHERE ${ofThem} RETURNING file`,
    values: [upTo],
  };
  transaction.trash(payloads);
  yield { sql: `DELETE FROM haft_keys WHERE ${ofThem}`, values: [upTo] };
  yield { sql: `DELETE FROM haft_approvals WHERE ${ofThem}`, values: [upTo] };
  const entries = yield* countOf("DELETE FROM haft_entries WHERE open_seq <= ?", upTo);
  return { entries, payloads: payloads.length };
}

function* dropRuns(transaction: Transaction, upTo: number): Script<void> {
  const messages = yield {
    sql: `DELETE FROM haft_run_messages WHERE run_id IN (SELECT run_id FROM haft_runs WHERE began_seq <= ?)
          RETURNING file`,
    values: [upTo],
  };
  transaction.trash(messages);
  yield { sql: "DELETE FROM haft_runs WHERE began_seq <= ?", values: [upTo] };
}

function* countOf(repeat: string, upTo: number): Script<number> {
  const [row] = yield { repeat, each: [[upTo]] };
  return Number(row?.changed ?? 0);
}

/** The last row of the range that may go. */
function* lastPrunable(before: number, after: number, upTo: number): Script<number> {
  const range = [after, upTo] as const;
  const [row] = yield {
    sql: `SELECT (SELECT MIN(seq) FROM haft_records WHERE seq > ? AND seq <= ? AND at >= ?) AS newer,
      (SELECT MIN(open_seq) FROM haft_entries WHERE open_seq > ? AND open_seq <= ?
       AND (ending NOT IN ('executed', 'failed', 'unknown') OR closed_at >= ?)) AS alive,
      (SELECT MIN(began_seq) FROM haft_runs WHERE began_seq > ? AND began_seq <= ?
       AND status IN ('running', 'pending')) AS running`,
    values: [...range, before, ...range, before, ...range],
  };
  const { newer = null, alive = null, running = null } = row ?? {};
  return Math.min(upTo, ...[newer, alive, running].flatMap((seq) => (seq === null ? [] : [Number(seq) - 1])));
}

const youngMs = 3_600_000;

/** Takes away files that no row names. A young one may belong to a row that is being written. */
const sweep = async ({ database, blobs, now }: Store): Promise<void> => {
  if (blobs === undefined) return;
  const named = await database.read(function* () {
    const rows = yield {
      sql: `SELECT file FROM haft_payloads WHERE file IS NOT NULL
            UNION ALL SELECT file FROM haft_run_messages WHERE file IS NOT NULL`,
      values: [],
    };
    return new Set(rows.map(({ file }) => file));
  });
  blobs.remove(blobs.leftBehind((file) => named.has(file), now() - youngMs));
};
