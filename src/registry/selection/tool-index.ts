import type { ToolSpec } from "../../types/tool.ts";
import { candidateFinder, type IsAllowed, matchedRows } from "./index/candidate-finder.ts";
import { addTool, emptyIndexData, type MatchedTerm, matchedTerms, removeTool } from "./index/index-data.ts";
import { parseQuery } from "./index/parse-query.ts";
import { type Evidence, type WeightedTool, weighCandidates } from "./index/weigh-candidates.ts";

export interface IndexHit {
  readonly key: string;
  readonly spec: ToolSpec;
  readonly score: number;
  readonly evidence: Evidence;
  /** The intent that it answers best. */
  readonly wish: string;
  readonly found: readonly MatchedTerm[];
}

export interface IndexQuery {
  /** At most 1,000. */
  readonly limit: number;
  readonly isAllowed?: IsAllowed | undefined;
}

/** The cost of adding or removing a tool depends only on its own size. */
export interface ToolIndex {
  readonly size: number;
  readonly add: (key: string, spec: ToolSpec) => void;
  readonly remove: (key: string) => boolean;
  readonly search: (text: string, query: IndexQuery) => readonly IndexHit[];
}

const maxHits = 1_000;
/** Candidates to weigh: for a query with one intent, and per intent otherwise. */
const candidateLimits = { alone: 32, each: 14 } as const;

export const toolIndex = (): ToolIndex => {
  const stored = emptyIndexData();
  const findCandidates = candidateFinder(stored);
  return {
    get size() {
      return stored.byKey.size;
    },
    add: (key, spec) => addTool(stored, key, spec),
    remove: (key) => removeTool(stored, key),
    search: (text, { limit: wanted, isAllowed }) => {
      const limit = Math.min(wanted, maxHits);
      const question = parseQuery(text);
      const { wishes } = question;
      const found = matchedRows(stored, question);
      const perWish = Math.max(limit, wishes.length === 1 ? candidateLimits.alone : candidateLimits.each);
      const candidates = findCandidates(found, wishes.length, perWish, isAllowed);
      for (const { term, asked } of found) stored.strengths[term] = asked.strength;
      const hits = scoreTools(weighCandidates(stored, question, candidates), limit).map(
        ({ tool, answers, evidence, score }): IndexHit => ({
          key: tool.key,
          spec: tool.spec,
          score,
          evidence,
          wish: wishes[answers]?.text ?? "",
          found: matchedTerms(stored, question, tool),
        }),
      );
      for (const { term } of found) stored.strengths[term] = 0;
      return hits;
    },
  };
};

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

interface ScoredTool extends WeightedTool {
  readonly score: number;
}

const scoreTools = (all: readonly WeightedTool[], limit: number): readonly ScoredTool[] => {
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
