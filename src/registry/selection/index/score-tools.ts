import type { Evidence, WeighedTool } from "./evidence.ts";

/**
 * What each piece of evidence counts for among the tools that were found. Fitted on questions and tools of foreign
 * benchmarks: `npm run bench:pick -- --fit` fits anew and says how it does on a source that it has not seen.
 */
export const counts = {
  shared: 1.6,
  wish: 3.4,
  described: 1.9,
  named: 1.7,
  phrases: 1.05,
  meaning: 1.9,
} as const satisfies Partial<Record<keyof Evidence, number>>;

/** What the best tool's evidence says of whether it is meant at all, and how fast that sinks from place to place. */
export const trust = {
  start: -2.94,
  weight: 2.137,
  described: 2.666,
  named: 0.564,
  meaning: 0.527,
  decay: 0.8,
} as const;

/** A tool with its evidence and what follows from it. */
export interface JudgedTool extends WeighedTool {
  /** 0 to 1: how likely it is that the tool is meant. */
  readonly score: number;
}

/** Best first; equals in the order they came. */
export const judge = (all: readonly WeighedTool[], limit: number): readonly JudgedTool[] => {
  const points = Float64Array.from(all, ({ evidence }) => pointsOf(evidence));
  const places = Array.from(all.keys()).sort(
    (a, b) =>
      (points[b] as number) - (points[a] as number) ||
      (all[a] as WeighedTool).tool.order - (all[b] as WeighedTool).tool.order,
  );
  const [first] = places;
  if (first === undefined) return [];
  const most = points[first] as number;
  const trusted = trustIn((all[first] as WeighedTool).evidence);
  return places.slice(0, limit).map((place) => ({
    ...(all[place] as WeighedTool),
    score: trusted * Math.exp(trust.decay * ((points[place] as number) - most)),
  }));
};

const pointsOf = (evidence: Evidence): number =>
  counts.shared * evidence.shared +
  counts.wish * evidence.wish +
  counts.described * evidence.described +
  counts.named * evidence.named +
  counts.phrases * evidence.phrases +
  counts.meaning * evidence.meaning;

const trustIn = ({ weight, described, named, meaning }: Evidence): number => {
  const sum =
    trust.start +
    trust.weight * weight +
    trust.described * described +
    trust.named * named +
    trust.meaning * meaning;
  return 1 / (1 + Math.exp(-sum));
};
