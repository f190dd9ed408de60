import type { Verification, VerificationOptions } from "../../../words/durable-ledger.ts";
import type { Row, Script } from "../database.ts";
import type { Store } from "../store.ts";
import { type Anchor, readAnchor, readLastSeq } from "./anchor.ts";
import { type BrokenRow, ChainCheck } from "./chain-check.ts";
import { noKeys } from "./chain-keys.ts";
import { checkApprovals } from "./check-approvals.ts";
import { checkEntries, type PageOfRows } from "./check-entries.ts";
import { checkRuns } from "./check-runs.ts";
import { readBody, readLink } from "./link.ts";
import { nextSize, turnOfEventLoop } from "./pace.ts";

type Verifying = Pick<Store, "database" | "dialect" | "chainKeys">;

/** Rows that are read at first; then as many as take a few milliseconds, so that nothing else waits for long. */
const firstSize = 500;
const paceMs = { target: 20, least: 50, most: 4_000 };

/** Follows the whole chain, and holds every table that says something of it against it. */
export const verifyChain = async (store: Verifying, options: VerificationOptions): Promise<Verification> => {
  const { database, chainKeys } = store;
  const { expect, keyedFrom = Number.POSITIVE_INFINITY, onProgress } = options;
  const [anchor, last] = await database.read(readBounds);
  const check = new ChainCheck(chainKeys, anchor);
  let isExpectedSeen = expect === undefined || expect === anchor.hash;
  let firstUnkeyed: number | undefined;
  const report = (broken?: BrokenRow): Verification => {
    const { rows, head, unkeyed, uses, unproved } = check;
    const found = { rows, head, ...(unkeyed === undefined ? {} : { unkeyed }), keys: uses };
    if (broken !== undefined) return { ok: false, ...found, broken };
    return unproved === undefined ? { ok: true, ...found } : { ok: false, ...found, unproved };
  };

  // The chain goes first: a table is held against rows that may themselves be broken further on.
  let lie: BrokenRow | undefined;
  let size = firstSize;
  for (let isFirst = true; ; isFirst = false) {
    const began = performance.now();
    const after = check.head.seq;
    const page = await database.read(() => readPage(store, { after, size, isFirst }));
    check.moveTo(page.anchor);
    lie ??= page.lie;
    for (const row of page.rows) {
      const link = readLink(row);
      const broken = check.next(link);
      if (broken !== undefined) return report(broken);
      isExpectedSeen ||= link.hash === expect;
      if (link.keyId === null && link.seq >= keyedFrom) firstUnkeyed ??= link.seq;
    }
    onProgress?.({ done: check.rows, total: Math.max(last - anchor.seq, check.rows) });
    if (page.isLast) break;
    size = nextSize(size, performance.now() - began, paceMs);
    await turnOfEventLoop();
  }
  const broken = check.end() ?? lie;
  if (broken !== undefined) return report(broken);
  if (firstUnkeyed !== undefined) {
    return report({ seq: firstUnkeyed, why: `it carries no MAC, and every row from ${keyedFrom} on should` });
  }
  if (isExpectedSeen) return report();
  return report({
    seq: check.head.seq,
    why: "no row has the hash that was noted before: rows were cut off the end, or it was pruned since",
  });
};

function* readBounds(): Script<readonly [anchor: Anchor, last: number]> {
  const anchor = yield* readAnchor();
  return [anchor, yield* readLastSeq(anchor)];
}

interface PageRange {
  readonly after: number;
  readonly size: number;
  readonly isFirst: boolean;
}

interface ReadPage {
  readonly rows: readonly Row[];
  readonly anchor: Anchor;
  readonly isLast: boolean;
  /** The first row of which a table says something else, or of which only a table knows. */
  readonly lie: BrokenRow | undefined;
}

/** Some rows, and what the tables say of them, at one moment. What a table says of no row at all belongs to the first or last page. */
function* readPage({ dialect }: Verifying, { after, size, isFirst }: PageRange): Script<ReadPage> {
  const anchor = yield* readAnchor();
  const from = Math.max(after, anchor.seq);
  const rows = yield {
    sql: "SELECT * FROM haft_records WHERE seq > ? ORDER BY seq LIMIT ?",
    values: [from, size],
  };
  const isLast = rows.length < size;
  const page: PageOfRows = {
    rows,
    bySeq: new Map(rows.map((row) => [Number(row.seq), row])),
    kinds: new Set(rows.map(({ kind }) => String(kind))),
    range: [
      isFirst ? Number.MIN_SAFE_INTEGER : from,
      isLast ? Number.MAX_SAFE_INTEGER : Number(rows.at(-1)?.seq),
    ],
  };
  const lies = [
    yield* checkEntries(dialect, page),
    // The MACs of rows are checked as the chain is followed, whether or not all keys are here.
    yield* checkApprovals({ dialect, chainKeys: noKeys }, page),
    yield* checkRuns(page),
    yield* checkKeys(page),
  ].filter((lie) => lie !== undefined);
  return { rows, anchor, isLast, lie: lies.toSorted((one, other) => one.seq - other.seq)[0] };
}

/** The first key that is gone though it was not given back, or that stands for another call than it was taken for. */
function* checkKeys({ kinds, range }: PageOfRows): Script<BrokenRow | undefined> {
  const [invented] = yield {
    sql: `SELECT k.keyed_seq FROM haft_keys k LEFT JOIN haft_records r ON r.seq = k.keyed_seq
          WHERE k.keyed_seq > ? AND k.keyed_seq <= ? AND (r.seq IS NULL OR r.kind <> 'keyed' OR r.entry_id <> k.entry_id
          OR r.body <> '{"call":"' || k.call_hash || '","key":"' || k.key_hash || '"}')
          ORDER BY k.keyed_seq LIMIT 1`,
    values: range,
  };
  if (invented !== undefined) {
    return { seq: Number(invented.keyed_seq), why: "its key in haft_keys says something else than the row" };
  }
  if (!kinds.has("keyed")) return undefined;
  const rows = yield {
    sql: `SELECT r.seq, c.body AS closed FROM haft_records r JOIN haft_entries e ON e.entry_id = r.entry_id
          LEFT JOIN haft_records c ON c.seq = e.close_seq
          WHERE r.seq > ? AND r.seq <= ? AND r.kind = 'keyed'
          AND NOT EXISTS (SELECT 1 FROM haft_keys k WHERE k.entry_id = r.entry_id AND k.keyed_seq = r.seq)
          ORDER BY r.seq`,
    values: range,
  };
  const lost = rows.find((row) => !isGivenBack(row));
  return lost === undefined ? undefined : { seq: Number(lost.seq), why: "its key is missing from haft_keys" };
}

/** A call that failed before its code was started frees its key. */
const isGivenBack = ({ closed }: Row): boolean => {
  const { ending, ran } = readBody(closed);
  return ending === "failed" && ran !== true;
};
