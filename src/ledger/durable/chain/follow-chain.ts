import type { LedgerProgress } from "../../../types/durable-ledger.ts";
import { type ChainReadContext, readApprovalHistories } from "../approvals/approval-history.ts";
import { findApprovalMismatch } from "../approvals/approval-row.ts";
import type { Row, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import type { DurableStore } from "../durable-store.ts";
import { keyReleasedKind } from "../keys/release-key.ts";
import { type BrokenRow, ChainCheck } from "./chain-check.ts";
import { type ChainBeginning, noChainKeys, readBeginning } from "./chain-keys.ts";
import { checkEntries, type RowPage } from "./check-entries.ts";
import { checkRuns } from "./check-runs.ts";
import { nextBatchSize, yieldToEventLoop } from "./prune-chain.ts";
import { chainStart, parseRowBody, readSignedRow } from "./signed-row.ts";

export type VerifyContext = Pick<DurableStore, "database" | "dialect" | "chainKeys">;

export interface FollowChainOptions {
  readonly chain: number;
  /** Table rows that refer to these sequence numbers are checked too. */
  readonly range: readonly [after: number, upTo: number];
  readonly from: ChainBeginning | undefined;
  readonly expect: string | undefined;
  readonly keyedFrom: number;
  readonly onRows: (rows: LedgerProgress["done"]) => void;
}

export interface FollowChainResult {
  readonly check: ChainCheck;
  readonly broken: BrokenRow | undefined;
  readonly lie: BrokenRow | undefined;
  readonly isExpectedSeen: boolean;
  readonly firstUnkeyed: number | undefined;
}

/** Rows of the first page; later pages aim at 20 ms. */
const initialPageSize = 500;
const pageTiming = { target: 20, least: 50, most: 4_000 };

/** Verifies one chain, and every table that refers to its rows. */
export const followChain = async (
  store: VerifyContext,
  following: FollowChainOptions,
): Promise<FollowChainResult> => {
  const { database, chainKeys } = store;
  const { chain, from, expect, keyedFrom, onRows } = following;
  const { beginning, link } = await database.read(() => readStart(chain, from));
  const check = new ChainCheck(chainKeys, beginning);
  let isExpectedSeen = expect === beginning.hash;
  let firstUnkeyed: number | undefined;
  let lie: BrokenRow | undefined;
  const followed = (broken?: BrokenRow): FollowChainResult => ({
    check,
    broken,
    lie,
    isExpectedSeen,
    firstUnkeyed,
  });
  if (from !== undefined && from.seq > beginning.seq) {
    if (link?.hash !== from.hash) return followed({ seq: from.seq, why: anchorMismatchReason });
    check.goOnBehind(link);
    isExpectedSeen ||= link.hash === expect;
  }

  // A broken chain takes precedence over a table mismatch.
  let size = initialPageSize;
  for (let isFirst = true; ; isFirst = false) {
    const began = performance.now();
    const after = check.head.seq;
    const page = await database.read(() => readChainPage(store, following, { after, size, isFirst }));
    check.moveTo(page.beginning);
    lie ??= page.mismatch;
    for (const row of page.rows) {
      const next = readSignedRow(row);
      const broken = check.next(next);
      if (broken !== undefined) return followed(broken);
      isExpectedSeen ||= next.hash === expect;
      if (next.keyId === null && next.seq >= keyedFrom) firstUnkeyed ??= next.seq;
    }
    onRows(page.rows.length);
    if (page.isLast) return followed();
    size = nextBatchSize(size, performance.now() - began, pageTiming);
    await yieldToEventLoop();
  }
};

const anchorMismatchReason = "the row is missing, or its hash differs from the anchor";

function* readStart(chain: number, from: ChainBeginning | undefined) {
  const beginning = yield* readBeginning(chain);
  const [row]: readonly Row[] =
    from === undefined ? [] : yield { sql: "SELECT * FROM haft_records WHERE seq = ?", values: [from.seq] };
  return { beginning, link: row === undefined ? undefined : readSignedRow(row) };
}

interface PageRange {
  readonly after: number;
  readonly size: number;
  readonly isFirst: boolean;
}

interface ChainPage {
  readonly rows: readonly Row[];
  readonly beginning: ChainBeginning;
  readonly isLast: boolean;
  readonly mismatch: BrokenRow | undefined;
}

/** One snapshot. References to rows that do not exist count to the first or last page. */
function* readChainPage(
  { dialect }: VerifyContext,
  { chain, range, from }: FollowChainOptions,
  { after, size, isFirst }: PageRange,
): Script<ChainPage> {
  const beginning = yield* readBeginning(chain);
  const start = Math.max(after, beginning.seq);
  const rows = yield {
    sql: "SELECT * FROM haft_records WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ?",
    values: [start, chainStart(chain + 1), size],
  };
  const isLast = rows.length < size;
  const page: RowPage = {
    rows,
    bySeq: new Map(rows.map((row) => [Number(row.seq), row])),
    kinds: new Set(rows.map(({ kind }) => String(kind))),
    range: [isFirst && from === undefined ? range[0] : start, isLast ? range[1] : Number(rows.at(-1)?.seq)],
  };
  const mismatches = [
    yield* checkEntries(dialect, page),
    // The chain check verifies the MACs already.
    yield* checkApprovals({ dialect, chainKeys: noChainKeys }, page),
    yield* checkRuns(dialect, page),
    yield* checkKeys(dialect, page),
  ].filter((lie) => lie !== undefined);
  return { rows, beginning, isLast, mismatch: mismatches.toSorted((one, other) => one.seq - other.seq)[0] };
}

function* checkApprovals(reading: ChainReadContext, page: RowPage): Script<BrokenRow | undefined> {
  const all = yield {
    sql: "SELECT * FROM haft_approvals WHERE asked_seq > ? AND asked_seq <= ? ORDER BY asked_seq",
    values: page.range,
  };
  const rows = yield* withoutPruned(reading, page, all);
  return (yield* firstMismatch(reading, page, rows)) ?? firstUnrecorded(page, rows);
}

/** Excludes months that are being pruned, whose rows appear on no page. */
function* withoutPruned(
  { dialect }: ChainReadContext,
  { bySeq }: RowPage,
  rows: readonly Row[],
): Script<readonly Row[]> {
  const unseen = rows.flatMap(({ asked_seq }) => (bySeq.has(Number(asked_seq)) ? [] : [Number(asked_seq)]));
  if (unseen.length === 0 || !dialect.hasMonths) return rows;
  const prunedRows = yield {
    sql: `SELECT r.seq FROM haft_records r WHERE r.seq ${dialect.amongNumbers} AND NOT ${dialect.isKept("r.seq")}`,
    values: [JSON.stringify(unseen)],
  };
  const prunedSeqs = new Set(prunedRows.map(({ seq }) => seq));
  return rows.filter(({ asked_seq }) => !prunedSeqs.has(asked_seq ?? null));
}

function* firstMismatch(
  reading: ChainReadContext,
  page: RowPage,
  rows: readonly Row[],
): Script<BrokenRow | undefined> {
  const asked = page.rows.filter(({ kind }) => kind === "asked");
  if (asked.length === 0) return undefined;
  const known = new Map(rows.map((row) => [row.id, row]));
  const entryIds = [...new Set(asked.map(({ entry_id }) => String(entry_id)))];
  const all = yield* readApprovalHistories(reading, entryIds);
  const entries = yield {
    sql: `SELECT entry_id FROM haft_entries 
          WHERE entry_id ${reading.dialect.amongTexts} AND ${reading.dialect.isKept("haft_entries.open_seq")}`,
    values: [JSON.stringify(entryIds)],
  };
  const kept = new Set(entries.map(({ entry_id }) => entry_id));
  for (const { seq, entry_id, body } of asked) {
    const id = String(parseRowBody(body).id);
    const row = known.get(id);
    if (row === undefined && !kept.has(entry_id ?? null)) continue;
    const history = all.get(id);
    const why =
      row === undefined
        ? "its approval request is missing from haft_approvals"
        : findApprovalMismatch(row, history);
    if (why !== undefined) return { seq: history?.lastSeq ?? Number(seq), why };
  }
  return undefined;
}

/** Rows unknown to the chain, and duplicates. */
const firstUnrecorded = ({ bySeq }: RowPage, rows: readonly Row[]): BrokenRow | undefined => {
  const seen = new Set<unknown>();
  for (const { id, asked_seq, entry_id } of rows) {
    const row = bySeq.get(Number(asked_seq));
    if (row?.kind !== "asked" || row.entry_id !== entry_id || seen.has(asked_seq)) {
      const why = `haft_approvals has a request that is not in the chain ("${id}")`;
      return { seq: Number(asked_seq), why };
    }
    seen.add(asked_seq);
  }
  return undefined;
};

function* checkKeys({ isKept }: SqlDialect, { kinds, range }: RowPage): Script<BrokenRow | undefined> {
  const [invented] = yield {
    sql: `SELECT k.keyed_seq FROM haft_keys k LEFT JOIN haft_records r ON r.seq = k.keyed_seq
          WHERE k.keyed_seq > ? AND k.keyed_seq <= ? AND (r.seq IS NULL OR r.kind <> 'keyed' OR r.entry_id <> k.entry_id
          OR r.body <> '{"call":"' || k.call_hash || '","key":"' || k.key_hash || '"'
            || CASE WHEN k.retention_ms IS NULL THEN '' ELSE ',"retention":' || CAST(k.retention_ms AS TEXT) END || '}')
          ORDER BY k.keyed_seq LIMIT 1`,
    values: range,
  };
  if (invented !== undefined) {
    return { seq: Number(invented.keyed_seq), why: "its key in haft_keys differs from the row" };
  }
  if (!kinds.has("keyed")) return undefined;
  const rows = yield {
    sql: `SELECT r.seq, c.body AS closed FROM haft_records r JOIN haft_entries e ON e.entry_id = r.entry_id
          LEFT JOIN haft_records c ON c.seq = e.close_seq
          WHERE r.seq > ? AND r.seq <= ? AND r.kind = 'keyed' AND ${isKept("r.seq")} AND ${isKept("e.open_seq")}
          AND NOT EXISTS (SELECT 1 FROM haft_keys k WHERE k.entry_id = r.entry_id AND k.keyed_seq = r.seq)
          AND NOT EXISTS (SELECT 1 FROM haft_records u WHERE u.entry_id = r.entry_id AND u.kind = '${keyReleasedKind}'
            AND u.body = '{"keyed":' || CAST(r.seq AS TEXT) || '}')
          ORDER BY r.seq`,
    values: range,
  };
  const lost = rows.find((row) => !isReleasedByFailure(row));
  return lost === undefined ? undefined : { seq: Number(lost.seq), why: "its key is missing from haft_keys" };
}

/** A call that fails before its code starts releases its key. */
const isReleasedByFailure = ({ closed }: Row): boolean => {
  const { ending, ran } = parseRowBody(closed);
  return ending === "failed" && ran !== true;
};
