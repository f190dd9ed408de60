import type { ToolSpec } from "../../types/spec.ts";
import type { IsAllowed } from "./index/candidate-finder.ts";
import type { MatchedTerm } from "./index/matched-terms.ts";
import type { IndexHit, ToolIndex } from "./tool-index.ts";

/** A tool that was found for a question. */
export interface ToolSearchHit {
  /** The name it is called by. */
  readonly name: string;
  readonly spec: ToolSpec;
  /** 0 to 1: how likely it is that the tool is meant. */
  readonly score: number;
  readonly reason: string;
  readonly found: readonly MatchedTerm[];
  /** What speaks for it, each from 0 to 1. */
  readonly evidence: IndexHit["evidence"];
}

/** What a search found: the tools that fit, or that none does, and which of them answers which part of the question. */
export interface ToolSearchResults {
  /** Best first. */
  readonly tools: readonly ToolSearchHit[];
  /** 0 to 1: how likely it is that the best of all tools fits, whether or not it was good enough. */
  readonly confidence: number;
  /** Why nothing was found, when nothing was. */
  readonly none?: string;
  /** The wishes of a question that has several, each with the names of the tools that answer it best. */
  readonly wishes: readonly { readonly text: string; readonly tools: readonly string[] }[];
}

export interface SearchRequest {
  readonly maxCandidates: number;
  readonly minScore: number;
  readonly isAllowed?: IsAllowed | undefined;
}

/** Searches an index: at once, without a model, and the same every time. */
export const searchIndex = (index: ToolIndex, query: string, request: SearchRequest): ToolSearchResults => {
  const { maxCandidates, minScore, isAllowed } = request;
  return toToolSearch(index.search(query, { limit: maxCandidates, isAllowed }), minScore);
};

/** What hits say together: which fit, that none does, and which of them answers which wish. */
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
  if (best === undefined) return "No tool fits: none has a word of the question, or one of like meaning.";
  return `No tool fits: the best, ${best.spec.name}, is meant with a likelihood of ${roundScore(best.score)}, below ${minScore}.`;
};

const maxReasonTerms = 6;

/** The weightiest words, by where they stand. */
export const matchReason = (found: readonly MatchedTerm[]): string => {
  const shownTerms = found.slice(0, maxReasonTerms);
  if (shownTerms.length === 0) return "no word of the question stands in it";
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
