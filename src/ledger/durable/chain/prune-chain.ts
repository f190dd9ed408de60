import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../json/canonical-json.ts";
import type { Pruned, PruneOptions } from "../../../words/durable-ledger.ts";
import type { LedgerError } from "../../../words/errors.ts";
import { asking } from "../asking.ts";
import type { Reclaimed, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { dropMonths } from "../months/drop-months.ts";
import type { Store } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { Operation } from "../writer.ts";
import { readBeginning, readLastSeq } from "./beginning.ts";
import { chainsWithRows } from "./chains.ts";
import { chainOf, chainStart } from "./link.ts";
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
 * Takes away whole months where there are any, then the beginning of each chain, as far as nothing in it can still go
 * on: up to the first row that is newer, or that opened an entry or began a run which was not over before that time.
 * Each transaction leaves a whole ledger, so it may be stopped behind any of them and taken up again.
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
    const chains = yield* asking(() => store.database.read(readBounds));
    const total = chains.reduce((sum, { first, last }) => sum + last - first, 0);
    const onRows = (rows: number): void => onProgress?.({ done: rows, total });
    const months = yield* dropMonths(store, { before, isStopped, onRows });
    let counts: Counts = { rows: months.rows, entries: months.entries, payloads: months.payloads };
    let freedBytes = months.freedBytes;
    let size = firstSize;
    let pieces = 0;
    // A row about a call that began in another chain waits until that one was pruned so far.
    for (let pruned = -1; pruned < counts.rows && !isStopped(); ) {
      pruned = counts.rows;
      for (const { chain, last } of chains) {
        for (let isLast = false; !isLast && !isStopped(); ) {
          const began = performance.now();
          const piece = yield* store.writer.write(() =>
            pruning({ chain, before, last, size, at: store.now(), dialect: store.dialect }),
          );
          const tookMs = performance.now() - began;
          counts = plus(counts, piece);
          isLast = piece.isLast;
          if (piece.rows > 0) onProgress?.({ done: counts.rows, total });
          size = nextSize(size, tookMs, paceMs);
          if (isLast) break;
          pieces += 1;
          if (pieces % piecesPerReclaim === 0) freedBytes += (yield* reclaim(false)).freedBytes;
          yield* Effect.sleep(Math.max(leastPauseMs, tookMs));
        }
      }
    }
    const isComplete = !isStopped() && months.isComplete;
    if (isComplete && store.dialect.hasChains) yield* store.writer.write(() => pruningAnchors(before));
    if (isComplete) yield* asking(() => sweep(store));
    const space = counts.rows === months.rows && !rewrite ? noSpace : yield* reclaim(true);
    return { ...counts, isComplete, ...space, freedBytes: freedBytes + space.freedBytes };
  });

const noSpace: Reclaimed = { freedBytes: 0, unreturnedBytes: 0 };

const plus = (one: Counts, other: Counts): Counts => ({
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

interface Piece {
  readonly dialect: SqlDialect;
  readonly chain: number;
  readonly before: number;
  readonly last: number;
  readonly size: number;
  readonly at: number;
}

/** One transaction of at most so many rows. The beginning it moves is confirmed by the row it appends. */
const pruning = ({
  dialect,
  chain,
  before,
  last,
  size,
  at,
}: Piece): Operation<Counts & { readonly isLast: boolean }> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const [beginning] = yield {
      sql: `SELECT seq FROM haft_anchor WHERE chain = ? ${dialect.lockRows}`,
      values: [chain],
    };
    const from = Number(beginning?.seq ?? chainStart(chain));
    // The last row of another's chain stays: whoever claims that chain next learns its key from it.
    const mostUpTo = chainOf(transaction.head.seq) === chain ? last : last - 1;
    const range = [from, Math.min(from + size, mostUpTo)] as const;
    const upTo = Math.min(yield* lastPrunable(before, range), yield* lastUnneeded(dialect, range));
    if (upTo <= from) return { rows: 0, entries: 0, payloads: 0, isLast: true };
    const [row] = yield { sql: "SELECT hash FROM haft_records WHERE seq = ?", values: [upTo] };
    const hash = String(row?.hash);
    yield { sql: "UPDATE haft_anchor SET seq = ?, hash = ? WHERE chain = ?", values: [upTo, hash, chain] };
    const { entries, payloads } = yield* dropEntries(transaction, [from, upTo]);
    yield* dropRuns(transaction, [from, upTo]);
    const rows = yield* countOf("DELETE FROM haft_records WHERE seq > ? AND seq <= ?", [from, upTo]);
    const body = canonicalJson({ upTo, hash, rows, entries });
    transaction.append({ at, kind: "pruned", entryId: null, runId: null, body });
    return { rows, entries, payloads, isLast: upTo >= mostUpTo };
  },
});

/** Rows behind the first of these numbers, up to the second. */
type Range = readonly [after: number, upTo: number];

function* dropEntries(transaction: Transaction, range: Range): Script<Pick<Counts, "entries" | "payloads">> {
  const ofThem = "entry_id IN (SELECT entry_id FROM haft_entries WHERE open_seq > ? AND open_seq <= ?)";
  const payloads = yield {
    sql: `DELETE FROM haft_payloads WHERE ${ofThem} RETURNING file`,
    values: range,
  };
  transaction.trash(payloads);
  yield { sql: `DELETE FROM haft_keys WHERE ${ofThem}`, values: range };
  yield { sql: `DELETE FROM haft_approvals WHERE ${ofThem}`, values: range };
  const entries = yield* countOf("DELETE FROM haft_entries WHERE open_seq > ? AND open_seq <= ?", range);
  return { entries, payloads: payloads.length };
}

function* dropRuns(transaction: Transaction, range: Range): Script<void> {
  const messages = yield {
    sql: `DELETE FROM haft_run_messages
          WHERE run_id IN (SELECT run_id FROM haft_runs WHERE began_seq > ? AND began_seq <= ?) RETURNING file`,
    values: range,
  };
  transaction.trash(messages);
  yield { sql: "DELETE FROM haft_runs WHERE began_seq > ? AND began_seq <= ?", values: range };
}

function* countOf(repeat: string, range: Range): Script<number> {
  const [row] = yield { repeat, each: [range] };
  return Number(row?.changed ?? 0);
}

/** Those before the last one of that time which names all chains: what is left can be followed from there. */
const pruningAnchors = (before: number): Operation<void> => ({
  entryIds: [],
  *run() {
    yield {
      post: `DELETE FROM haft_roots WHERE number <
               (SELECT COALESCE(MAX(number), 0) FROM haft_roots WHERE is_whole AND at < ?)`,
      values: [before],
    };
  },
});

/** The last row of the range that may go. */
function* lastPrunable(before: number, range: Range): Script<number> {
  const [row] = yield {
    sql: `SELECT (SELECT MIN(seq) FROM haft_records WHERE seq > ? AND seq <= ? AND at >= ?) AS newer,
      (SELECT MIN(open_seq) FROM haft_entries WHERE open_seq > ? AND open_seq <= ?
       AND (ending NOT IN ('executed', 'failed', 'unknown') OR closed_at >= ?)) AS alive,
      (SELECT MIN(began_seq) FROM haft_runs WHERE began_seq > ? AND began_seq <= ?
       AND status IN ('running', 'pending')) AS running`,
    values: [...range, before, ...range, before, ...range],
  };
  const { newer = null, alive = null, running = null } = row ?? {};
  return Math.min(
    range[1],
    ...[newer, alive, running].flatMap((seq) => (seq === null ? [] : [Number(seq) - 1])),
  );
}

/** The last row of the range that nothing needs which began in another chain and is still there. */
function* lastUnneeded({ hasChains }: SqlDialect, [after, upTo]: Range): Script<number> {
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
