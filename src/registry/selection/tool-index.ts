import type { ToolSpec } from "../../types/spec.ts";
import { candidateFinder, type IsAllowed, matchedRows } from "./index/candidate-finder.ts";
import { addTool, emptyIndexData, removeTool } from "./index/index-data.ts";
import { type MatchedTerm, matchedTerms } from "./index/matched-terms.ts";
import { parseQuery } from "./index/parse-query.ts";
import { scoreTools } from "./index/score-tools.ts";
import { type Evidence, weighCandidates } from "./index/weigh-candidates.ts";

/** A tool that an index found. */
export interface IndexHit {
  readonly key: string;
  readonly spec: ToolSpec;
  /** 0 to 1: how likely it is that the tool is meant. */
  readonly score: number;
  /** What speaks for it, each from 0 to 1. */
  readonly evidence: Evidence;
  /** The part of the question that it answers best; the whole where there is one wish. */
  readonly wish: string;
  /** The words of the question that stand in it. */
  readonly found: readonly MatchedTerm[];
}

export interface IndexQuery {
  /** At most a thousand. */
  readonly limit: number;
  /** Says which tools may be found; it is asked of few. */
  readonly isAllowed?: IsAllowed | undefined;
}

/** Tools that can be searched. What comes and goes costs its own size, whatever else is there. */
export interface ToolIndex {
  readonly size: number;
  /** Takes the place of what is under the same key. */
  readonly add: (key: string, spec: ToolSpec) => void;
  readonly remove: (key: string) => boolean;
  /** Best first, equals in the order they came. */
  readonly search: (text: string, query: IndexQuery) => readonly IndexHit[];
}

/** However many are asked for. */
const maxHits = 1_000;
/** So many tools are looked at in full: for a question with one wish, and for each wish of one with several. */
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
