import type { LedgerProgress } from "../../../types/durable-ledger.ts";
import type { Row, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import type { DurableStore } from "../durable-store.ts";
import { keyReleasedKind } from "../keys/release-key.ts";
import { nextBatchSize, yieldToEventLoop } from "./batch-size.ts";
import { type ChainBeginning, readBeginning } from "./chain-beginning.ts";
import { type BrokenRow, ChainCheck } from "./chain-check.ts";
import { noChainKeys } from "./chain-keys.ts";
import { checkApprovals } from "./check-approvals.ts";
import { checkEntries, type RowPage } from "./check-entries.ts";
import { checkRuns } from "./check-runs.ts";
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
