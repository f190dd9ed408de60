import type { Catalogue, Contender, Hit } from "./contender.ts";
import type { SelectionData } from "./data.ts";
import { areaUnderCurve, type Measures, measuresOf, type Summary, summarize } from "./metrics.ts";

export interface Times {
  readonly p50: number;
  readonly p99: number;
}

export interface Result {
  readonly name: string;
  readonly summary: Summary;
  /** How often the best score separates a query with a relevant tool from one without. */
  readonly abstention: number;
  readonly answerable: number;
  readonly notAnswerable: number;
  /** Microseconds of a search among the tools of one source, and among all. */
  readonly ownMicroseconds: Times;
  readonly pooledMicroseconds: Times;
  readonly indexMilliseconds: number;
  /** In the order of the queries. */
  readonly measured: readonly Measures[];
}

const limit = 10;
const warmUps = 100;

export const measureContender = async (
  contender: Contender,
  { tools, queries, none }: SelectionData,
  say: (text: string) => void,
): Promise<Result> => {
  const begin = performance.now();
  const pool = await contender.open(tools);
  const indexMilliseconds = performance.now() - begin;
  const own = new Map<string, Catalogue>();
  for (const source of new Set(queries.map((query) => query.source)))
    own.set(source, await contender.open(tools.filter((tool) => tool.source === source)));
  // Long enough for the JIT compiler.
  for (const { query, source } of queries.slice(0, warmUps)) {
    await pool.search(query, limit);
    await own.get(source)!.search(query, limit);
  }

  const ownTimes: number[] = [];
  const pooledTimes: number[] = [];
  const measured: Measures[] = [];
  for (const [at, query] of queries.entries()) {
    if (at % 500 === 0) say(`${contender.name}: ${at} of ${queries.length} questions`);
    // The whole pool first, so that contenders that cache queries pay for it there.
    const wide = await timed(pool, query.query, pooledTimes);
    const near = await timed(own.get(query.source)!, query.query, ownTimes);
    measured.push(measuresOf(query, idsOf(near), idsOf(wide)));
  }

  say(`${contender.name}: ${none.length} questions without a tool`);
  const known = new Set(tools.map(({ id }) => id));
  const best = async (among: readonly SelectionData["none"][number][]): Promise<readonly number[]> => {
    const scores: number[] = [];
    for (const { query, candidates = [] } of among) {
      const ids = candidates.filter((id) => known.has(id));
      if (ids.length > 0) scores.push(await pool.bestAmong(query, ids));
    }
    return scores;
  };
  // Only one source has candidates for queries without a relevant tool.
  const sources = new Set(none.map((query) => query.source));
  const answerable = await best(queries.filter((query) => sources.has(query.source)));
  const not = await best(none);
  return {
    name: contender.name,
    summary: summarize(queries, measured),
    abstention: areaUnderCurve(answerable, not),
    answerable: answerable.length,
    notAnswerable: not.length,
    ownMicroseconds: timesOf(ownTimes),
    pooledMicroseconds: timesOf(pooledTimes),
    indexMilliseconds,
    measured,
  };
};

const idsOf = (hits: readonly Hit[]): readonly string[] => hits.map(([id]) => id);

const timed = async (catalogue: Catalogue, query: string, times: number[]): Promise<readonly Hit[]> => {
  const begin = performance.now();
  const found = catalogue.search(query, limit);
  const hits = found instanceof Promise ? await found : found;
  times.push((performance.now() - begin) * 1000);
  return hits;
};

export const timesOf = (samples: readonly number[]): Times => {
  const sorted = samples.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { p50: at(0.5), p99: at(0.99) };
};
