import { type DataQuery, needsOf } from "./data.ts";

/**
 * Metrics of one query as fractions of its needs, so that queries with several needs have the same weight.
 */
export interface Measures {
  readonly r1: number;
  readonly r5: number;
  readonly r10: number;
  readonly ndcg10: number;
  readonly complete10: number;
  readonly pooled5: number;
  readonly pooled10: number;
}

export const measureNames = [
  "r1",
  "r5",
  "r10",
  "ndcg10",
  "complete10",
  "pooled5",
  "pooled10",
] as const satisfies readonly (keyof Measures)[];

/** `own` are the results among the tools of the query's source, `pooled` among all tools. */
export const measuresOf = (query: DataQuery, own: readonly string[], pooled: readonly string[]): Measures => {
  const needs = needsOf(query);
  const share = (found: readonly string[], count: number): number => {
    const first = found.slice(0, count);
    return needs.filter((group) => group.some((id) => first.includes(id))).length / needs.length;
  };
  return {
    r1: share(own, 1),
    r5: share(own, 5),
    r10: share(own, 10),
    ndcg10: gain(needs, own.slice(0, 10)),
    complete10: share(own, 10) === 1 ? 1 : 0,
    pooled5: share(pooled, 5),
    pooled10: share(pooled, 10),
  };
};

/** Each need counts at its first match; a second tool for the same need adds nothing. */
const gain = (needs: readonly (readonly string[])[], found: readonly string[]): number => {
  const open = [...needs];
  let reached = 0;
  found.forEach((id, place) => {
    const met = open.findIndex((group) => group.includes(id));
    if (met === -1) return;
    open.splice(met, 1);
    reached += 1 / Math.log2(place + 2);
  });
  let ideal = 0;
  for (let place = 0; place < Math.min(10, needs.length); place++) ideal += 1 / Math.log2(place + 2);
  return reached / ideal;
};

/** Micro averages over queries, macro over sources. */
export interface Summary {
  readonly sources: Readonly<Record<string, Measures & { readonly questions: number }>>;
  readonly macro: Measures;
  readonly micro: Measures;
}

const meanOf = (all: readonly Measures[]): Measures =>
  Object.fromEntries(
    measureNames.map((name) => [name, all.reduce((sum, each) => sum + each[name], 0) / all.length]),
  ) as unknown as Measures;

export const summarize = (queries: readonly DataQuery[], measured: readonly Measures[]): Summary => {
  const bySource = Map.groupBy(measured.keys(), (index) => queries[index]!.source);
  const sources = [...bySource].map(([source, indexes]) => {
    const mean = meanOf(indexes.map((index) => measured[index]!));
    return [source, { ...mean, questions: indexes.length }] as const;
  });
  return {
    sources: Object.fromEntries(sources),
    macro: meanOf(sources.map(([, mean]) => mean)),
    micro: meanOf(measured),
  };
};

/** AUC: how often a query with a relevant candidate scores above one without; 0.5 is chance. */
export const areaUnderCurve = (answerable: readonly number[], not: readonly number[]): number => {
  const sorted = not.toSorted((one, other) => one - other);
  const below = (score: number, orEqual: boolean): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < score || (orEqual && sorted[middle] === score)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const wins = answerable.reduce((sum, score) => sum + (below(score, false) + below(score, true)) / 2, 0);
  return wins / (answerable.length * not.length);
};
