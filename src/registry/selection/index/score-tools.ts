import type { Evidence, WeightedTool } from "./weigh-candidates.ts";

/**
 * Fitted on external benchmarks: `npm run bench:pick -- --fit` fits them again and tests them on an unseen
 * source.
 */
export const evidenceWeights = {
  shared: 1.6,
  wish: 3.4,
  described: 1.9,
  named: 1.7,
  phrases: 1.05,
  meaning: 1.9,
} as const satisfies Partial<Record<keyof Evidence, number>>;

export const confidenceWeights = {
  start: -2.94,
  weight: 2.137,
  described: 2.666,
  named: 0.564,
  meaning: 0.527,
  decay: 0.8,
} as const;

export interface ScoredTool extends WeightedTool {
  readonly score: number;
}

export const scoreTools = (all: readonly WeightedTool[], limit: number): readonly ScoredTool[] => {
  const points = Float64Array.from(all, ({ evidence }) => evidencePoints(evidence));
  const places = Array.from(all.keys()).sort(
    (a, b) =>
      (points[b] as number) - (points[a] as number) ||
      (all[a] as WeightedTool).tool.order - (all[b] as WeightedTool).tool.order,
  );
  const [first] = places;
  if (first === undefined) return [];
  const most = points[first] as number;
  const trusted = confidenceIn((all[first] as WeightedTool).evidence);
  return places.slice(0, limit).map((place) => ({
    ...(all[place] as WeightedTool),
    score: trusted * Math.exp(confidenceWeights.decay * ((points[place] as number) - most)),
  }));
};

const evidencePoints = (evidence: Evidence): number =>
  evidenceWeights.shared * evidence.shared +
  evidenceWeights.wish * evidence.wish +
  evidenceWeights.described * evidence.described +
  evidenceWeights.named * evidence.named +
  evidenceWeights.phrases * evidence.phrases +
  evidenceWeights.meaning * evidence.meaning;

const confidenceIn = ({ weight, described, named, meaning }: Evidence): number => {
  const sum =
    confidenceWeights.start +
    confidenceWeights.weight * weight +
    confidenceWeights.described * described +
    confidenceWeights.named * named +
    confidenceWeights.meaning * meaning;
  return 1 / (1 + Math.exp(-sum));
};
