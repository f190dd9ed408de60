import { rareRowsSql } from "../approvals/approval-history.ts";
import { readBeginning } from "../chain/chain-keys.ts";
import { chainOf, chainStart } from "../chain/signed-row.ts";
import type { Database, Row, Script } from "../database.ts";

/** One of them may already be dropped. */
export interface MonthTablePair {
  readonly last: number;
  readonly records: string | undefined;
  readonly entries: string | undefined;
}

/** The contiguous rows of one chain in a month. */
export interface ChainSegment {
  readonly chain: number;
  readonly first: number;
  readonly last: number;
  readonly hash: string;
  readonly rows: number;
  readonly entries: number;
}

const rowsPerQuery = 100_000;

export function* readChainSegments({ records }: MonthTablePair): Script<readonly ChainSegment[]> {
  const found: ChainSegment[] = [];
  if (records === undefined) return found;
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const [row] = yield {
      sql: `SELECT seq FROM ${records} WHERE seq > ? ORDER BY seq LIMIT 1`,
      values: [from],
    };
    if (row === undefined) return found;
    const first = Number(row.seq);
    const chain = chainOf(first);
    const [end] = yield {
      sql: `SELECT seq, hash FROM ${records} WHERE seq < ? ORDER BY seq DESC LIMIT 1`,
      values: [chainStart(chain + 1)],
    };
    const last = Number(end?.seq);
    found.push({ chain, first, last, hash: String(end?.hash), rows: last - first + 1, entries: 0 });
    from = last;
  }
}

export interface MonthSurveyContext {
  readonly database: Pick<Database, "read">;
  readonly isStopped: () => boolean;
}

/** Undefined if part of the closed month must stay: newer rows, open work, or rows that others need. */
export const surveyMonth = async (
  { database, isStopped }: MonthSurveyContext,
  month: MonthTablePair,
  before: number,
): Promise<readonly ChainSegment[] | undefined> => {
  const stretches = await database.read(() => readChainSegments(month));
  if (await database.read(() => isMonthNeeded(month, stretches))) return undefined;
  const counted: ChainSegment[] = [];
  for (const stretch of stretches) {
    const beginning = await database.read(() => readBeginning(stretch.chain));
    if (beginning.seq !== stretch.first - 1) return undefined;
    let rows = 0;
    let entries = 0;
    for (let from = stretch.first - 1; from < stretch.last; from += rowsPerQuery) {
      if (isStopped()) return undefined;
      const range = [from, Math.min(from + rowsPerQuery, stretch.last)] as const;
      const part = await database.read(() => countPart(month, range));
      if (Number(part.newest ?? 0) >= before || Number(part.closed ?? 0) >= before) return undefined;
      if (Number(part.alive) > 0) return undefined;
      rows += Number(part.rows);
      entries += Number(part.entries);
    }
    if (rows !== stretch.rows) return undefined;
    counted.push({ ...stretch, entries });
  }
  return counted;
};

function* countPart({ records, entries }: MonthTablePair, range: readonly [number, number]): Script<Row> {
  const [rows] = yield {
    sql: `SELECT count(*) AS rows, max(at) AS newest FROM ${records} WHERE seq > ? AND seq <= ?`,
    values: range,
  };
  if (entries === undefined) return { ...rows, entries: 0, closed: null, alive: 0 };
  const [found] = yield {
    sql: `SELECT count(*) AS entries, max(closed_at) AS closed,
            count(*) FILTER (WHERE ending NOT IN ('executed', 'failed', 'unknown', 'settled')) AS alive
          FROM ${entries} WHERE open_seq > ? AND open_seq <= ?`,
    values: range,
  };
  return { ...rows, ...found };
}

const rangesSql = "json_to_recordset(CAST(? AS json)) AS v(first bigint, last bigint)";
const isInRangeSql = (seq: string): string => `${seq} BETWEEN v.first AND v.last`;

function* isMonthNeeded(
  { records, last }: MonthTablePair,
  stretches: readonly ChainSegment[],
): Script<boolean> {
  const ranges = JSON.stringify(stretches.map(({ first, last }) => ({ first, last })));
  const [found] = yield {
    sql: `SELECT EXISTS (SELECT 1 FROM haft_runs h, ${rangesSql} WHERE ${isInRangeSql("h.began_seq")}
        AND h.status IN ('running', 'pending')) AS running,
      EXISTS (SELECT 1 FROM ${records} r JOIN haft_runs h ON h.run_id = r.run_id
        WHERE r.entry_id IS NULL AND ${rareRowsSql}
        AND NOT EXISTS (SELECT 1 FROM ${rangesSql} WHERE ${isInRangeSql("h.began_seq")})) AS of_run,
      EXISTS (SELECT 1 FROM haft_entries e, ${rangesSql} WHERE e.elsewhere IS NOT NULL AND e.month > ?
        AND (${["e.open_seq", "e.start_seq", "e.close_seq", "e.last_seq"].map(isInRangeSql).join(" OR ")}
        OR EXISTS (SELECT 1 FROM json_array_elements_text(CAST(e.elsewhere AS json)) AS x(seq)
          WHERE ${isInRangeSql("CAST(x.seq AS bigint)")}))) AS of_entry`,
    values: [ranges, ranges, ranges, last],
  };
  return found?.running === 1 || found?.of_run === 1 || found?.of_entry === 1;
}
