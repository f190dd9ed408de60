import type { ToolSpec } from "../../types/spec.ts";
import { candidateFinder, type IsAllowed, matchedRows } from "./index/candidate-finder.ts";
import { addTool, emptyIndexData, removeTool } from "./index/index-data.ts";
import { type MatchedTerm, matchedTerms } from "./index/matched-terms.ts";
import { parseQuery } from "./index/parse-query.ts";
import { scoreTools } from "./index/score-tools.ts";
import { type Evidence, weighCandidates } from "./index/weigh-candidates.ts";

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
