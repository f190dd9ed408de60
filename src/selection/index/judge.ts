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
  start: -3.193,
  weight: 2.748,
  described: 2.589,
  named: 0.495,
  meaning: 0.542,
  decay: 0.8,
} as const;

/** A tool with its evidence and what follows from it. */
export interface JudgedTool extends WeighedTool {
  /** 0 to 1: how likely it is that the tool is meant. */
  readonly score: number;
}

/** Best first; equals in the order they came. */
export const judge = (all: readonly WeighedTool[], limit: number): readonly JudgedTool[] => {
  const ranked = all
    .map((weighed) => ({ weighed, points: pointsOf(weighed.evidence) }))
    .sort((a, b) => b.points - a.points || a.weighed.tool.order - b.weighed.tool.order);
  const [best] = ranked;
  if (best === undefined) return [];
  const trusted = trustIn(best.weighed.evidence);
  return ranked.slice(0, limit).map(({ weighed, points }) => ({
    ...weighed,
    score: trusted * Math.exp(trust.decay * (points - best.points)),
  }));
};

const kinds = Object.keys(counts) as (keyof typeof counts)[];

const pointsOf = (evidence: Evidence): number =>
  kinds.reduce((points, kind) => points + counts[kind] * evidence[kind], 0);

const trustIn = ({ weight, described, named, meaning }: Evidence): number => {
  const sum =
    trust.start +
    trust.weight * weight +
    trust.described * described +
    trust.named * named +
    trust.meaning * meaning;
  return 1 / (1 + Math.exp(-sum));
};
