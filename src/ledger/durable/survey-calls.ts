import type { Survey, SurveyQuery } from "../../types/durable-ledger.ts";
import type { Row, Script } from "./database.ts";
import { notExecutedSql } from "./leases/ledger-owners.ts";
import { endingSql, type ReadContext, selectEntriesSql, toStoredEntry } from "./read-entries.ts";

/** By sequence number on SQLite, else by time. */
interface EntryRange {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly calls: number;
  readonly failed: number;
}

const entriesPerSample = 10;

/** Counts with indexes only, and reads a bounded number of entries. */
export function* surveyCalls(looking: ReadContext, query: SurveyQuery): Script<Survey> {
  const { most } = query;
  const isByTime = looking.dialect.hasChains;
  const stretches = isByTime ? yield* countByTime(query) : yield* countByNumber(query);
  const total = stretches.reduce((sum, { calls }) => sum + calls, 0);
  const isAll = total <= most;
  const rows = yield* isAll
    ? readRanges(
        looking,
        stretches.filter(({ calls }) => calls > 0),
        most,
      )
    : readRanges(looking, sampleRanges(stretches, total, most), entriesPerSample);
  const entries = [...new Map(rows.map((row) => [row.entry_id, row])).values()]
    .map(toStoredEntry)
    .sort((one, other) => one.at - other.at);
  return { counts: stretches.map(({ at, calls, failed }) => ({ at, calls, failed })), entries, isAll };
}

const bucketTimes = ({ since, until, parts }: SurveyQuery): readonly number[] =>
  Array.from({ length: parts + 1 }, (_, i) => since + ((until - since) * i) / parts);

const isFailedSql = `${notExecutedSql} AND ending = 'failed'`;

function* countByTime(query: SurveyQuery): Script<readonly EntryRange[]> {
  const times = bucketTimes(query);
  const rows = yield {
    sql: `SELECT p.start, p.stop,
        (SELECT count(*) FROM haft_entries WHERE at >= p.start AND at < p.stop) AS calls,
        (SELECT count(*) FROM haft_entries WHERE ${isFailedSql} AND at >= p.start AND at < p.stop) AS failed
      FROM json_to_recordset(CAST(? AS json)) AS p(start double precision, stop double precision) ORDER BY p.start`,
    values: [JSON.stringify(times.slice(0, -1).map((start, i) => ({ start, stop: times[i + 1] })))],
  };
  return rows.map(({ start, stop, calls, failed }) => ({
    at: Number(start),
    from: Number(start),
    to: Number(stop),
    calls: Number(calls),
    failed: Number(failed),
  }));
}

const toolsSql = `WITH RECURSIVE t(tool) AS (SELECT min(tool) FROM haft_entries
    UNION ALL SELECT (SELECT min(tool) FROM haft_entries WHERE tool > t.tool) FROM t WHERE t.tool IS NOT NULL)
  SELECT tool FROM t WHERE tool IS NOT NULL`;

/**
 * SQLite has no index by time, but sequence numbers follow it, so bounds are found by binary search. The
 * index on tools is the smallest complete one.
 */
function* countByNumber(query: SurveyQuery): Script<readonly EntryRange[]> {
  const times = bucketTimes(query);
  const numbers: number[] = [];
  for (const time of times) numbers.push(yield* findSeqAt(time, numbers.at(-1)));
  const rows = yield {
    sql: `SELECT p.key AS part,
        (SELECT sum((SELECT count(*) FROM haft_entries e WHERE e.tool = t.tool
           AND e.open_seq >= p.value ->> 0 AND e.open_seq < p.value ->> 1)) FROM (${toolsSql}) t) AS calls,
        (SELECT count(*) FROM haft_entries WHERE ${isFailedSql}
           AND open_seq >= p.value ->> 0 AND open_seq < p.value ->> 1) AS failed
      FROM json_each(?) p ORDER BY p.key`,
    values: [JSON.stringify(numbers.slice(0, -1).map((from, i) => [from, numbers[i + 1]]))],
  };
  return rows.map(({ calls, failed }, i) => ({
    at: times[i]!,
    from: numbers[i]!,
    to: numbers[i + 1]!,
    calls: Number(calls),
    failed: Number(failed),
  }));
}

function* findSeqAt(time: number, atLeast = 0): Script<number> {
  const [ends] = yield {
    sql: "SELECT (SELECT min(open_seq) FROM haft_entries) AS first, (SELECT max(open_seq) FROM haft_entries) AS last",
    values: [],
  };
  let low = Math.max(atLeast, Number(ends?.first ?? 0));
  let high = Number(ends?.last ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [found] = yield {
      sql: "SELECT open_seq, at FROM haft_entries WHERE open_seq >= ? ORDER BY open_seq LIMIT 1",
      values: [middle],
    };
    if (found === undefined || Number(found.at) >= time) high = middle;
    else low = Number(found.open_seq) + 1;
  }
  return low;
}

const sampleRanges = (
  stretches: readonly EntryRange[],
  total: number,
  most: number,
): readonly Pick<EntryRange, "from" | "to">[] =>
  stretches.flatMap(({ from, to, calls }) => {
    const places = Math.ceil((calls / total) * (most / entriesPerSample));
    return Array.from({ length: places }, (_, i) => ({ from: from + ((to - from) * i) / places, to }));
  });

function* readRanges(
  { dialect, dead }: ReadContext,
  stretches: readonly Pick<EntryRange, "from" | "to">[],
  limit: number,
): Script<readonly Row[]> {
  const gone = dead.length === 0 ? [] : [JSON.stringify(dead)];
  const ending = endingSql(dialect, dead);
  if (dialect.hasChains) {
    const fromSql = `json_to_recordset(CAST(? AS json)) AS p("from" double precision, "to" double precision)
      CROSS JOIN LATERAL (SELECT * FROM haft_entries WHERE at >= p."from" AND at < p."to"
        ORDER BY at, open_seq LIMIT ${limit}) e`;
    return yield { sql: selectEntriesSql(ending, fromSql), values: [...gone, JSON.stringify(stretches)] };
  }
  const rows: Row[] = [];
  for (const { from, to } of stretches) {
    rows.push(
      ...(yield {
        sql: `${selectEntriesSql(ending)} WHERE e.open_seq >= ? AND e.open_seq < ? ORDER BY e.open_seq LIMIT ${limit}`,
        values: [...gone, Math.floor(from), to],
      }),
    );
  }
  return rows;
}
