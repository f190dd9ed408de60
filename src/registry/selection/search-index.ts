import type { ToolSpec } from "../../types/tool.ts";
import type { IsAllowed } from "./index/candidate-finder.ts";
import type { MatchedTerm } from "./index/index-data.ts";
import type { IndexHit, ToolIndex } from "./tool-index.ts";

/** A tool that a search found. */
export interface ToolSearchHit {
  /** The name by which it is called. */
  readonly name: string;
  readonly spec: ToolSpec;
  /** Likelihood that the tool is meant, 0 to 1. */
  readonly score: number;
  readonly reason: string;
  readonly found: readonly MatchedTerm[];
  /** Evidence for the tool, each value from 0 to 1. */
  readonly evidence: IndexHit["evidence"];
}

/**
 * The results of a search: the tools that fit or why none does, and which tools answer which part of the
 * query.
 */
export interface ToolSearchResults {
  /** Best first. */
  readonly tools: readonly ToolSearchHit[];
  /** Likelihood that the best tool fits, 0 to 1, even if it is below the minimum score. */
  readonly confidence: number;
  /** Why no tool was found; only set then. */
  readonly none?: string;
  /** The intents of the query, each with the names of the tools that answer it best. */
  readonly wishes: readonly { readonly text: string; readonly tools: readonly string[] }[];
}

export interface SearchRequest {
  readonly maxCandidates: number;
  readonly minScore: number;
  readonly isAllowed?: IsAllowed | undefined;
}

export const searchIndex = (index: ToolIndex, query: string, request: SearchRequest): ToolSearchResults => {
  const { maxCandidates, minScore, isAllowed } = request;
  return toToolSearch(index.search(query, { limit: maxCandidates, isAllowed }), minScore);
};

export const toToolSearch = (hits: readonly IndexHit[], minScore: number): ToolSearchResults => {
  const fitting = hits.filter(({ score }) => score >= minScore);
  const tools = fitting.map(toFoundTool);
  const confidence = hits[0]?.score ?? 0;
  const none = tools.length > 0 ? undefined : explainNone(hits[0], minScore);
  return { tools, confidence, ...(none === undefined ? {} : { none }), wishes: intentsOf(fitting) };
};

const toFoundTool = ({ spec, score, found, evidence }: IndexHit): ToolSearchHit => ({
  name: spec.name,
  spec,
  score,
  reason: matchReason(found),
  found,
  evidence,
});

const explainNone = (best: IndexHit | undefined, minScore: number): string => {
  if (best === undefined)
    return "No tool matches: none has a word of the query or a word of similar meaning.";
  return `No tool matches: the best, ${best.spec.name}, has a score of ${roundScore(best.score)}, below ${minScore}.`;
};

const maxReasonTerms = 6;

export const matchReason = (found: readonly MatchedTerm[]): string => {
  const shownTerms = found.slice(0, maxReasonTerms);
  if (shownTerms.length === 0) return "it contains no word of the query";
  const places = (["name", "first sentence", "elsewhere"] as const).flatMap((place) => {
    const terms = shownTerms
      .filter((one) => one.place === place)
      .map(({ term, for: meant }) => (meant === undefined ? term : `${term} for ${meant}`));
    return terms.length === 0 ? [] : [`${place}: ${terms.join(", ")}`];
  });
  return `shares words with its ${places.join("; ")}`;
};

const intentsOf = (hits: readonly IndexHit[]): ToolSearchResults["wishes"] => {
  const byWish = new Map<string, string[]>();
  for (const { wish, spec } of hits) byWish.set(wish, [...(byWish.get(wish) ?? []), spec.name]);
  return [...byWish].map(([text, tools]) => ({ text, tools }));
};

const roundScore = (score: number): number => Math.round(score * 1_000) / 1_000;
