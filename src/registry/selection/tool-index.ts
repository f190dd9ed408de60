import type { ToolSpec } from "../words/spec.ts";
import { candidateFinder, foundRows, type IsAllowed } from "./index/candidates.ts";
import { type Evidence, weigh } from "./index/evidence.ts";
import { type FoundTerm, foundIn } from "./index/found-in.ts";
import { judge } from "./index/judge.ts";
import { readQuestion } from "./index/question.ts";
import { addTool, emptyStored, removeTool } from "./index/stored.ts";

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
  readonly found: readonly FoundTerm[];
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
const mostHits = 1_000;
/** So many tools are looked at in full: for a question with one wish, and for each wish of one with several. */
const lookedAt = { alone: 32, each: 14 } as const;

export const toolIndex = (): ToolIndex => {
  const stored = emptyStored();
  const findCandidates = candidateFinder(stored);
  return {
    get size() {
      return stored.byKey.size;
    },
    add: (key, spec) => addTool(stored, key, spec),
    remove: (key) => removeTool(stored, key),
    search: (text, { limit: wanted, isAllowed }) => {
      const limit = Math.min(wanted, mostHits);
      const question = readQuestion(text);
      const { wishes } = question;
      const found = foundRows(stored, question);
      const perWish = Math.max(limit, wishes.length === 1 ? lookedAt.alone : lookedAt.each);
      const candidates = findCandidates(found, wishes.length, perWish, isAllowed);
      for (const { term, asked } of found) stored.strengths[term] = asked.strength;
      const hits = judge(weigh(stored, question, candidates), limit).map(
        ({ tool, answers, evidence, score }): IndexHit => ({
          key: tool.key,
          spec: tool.spec,
          score,
          evidence,
          wish: wishes[answers]?.text ?? "",
          found: foundIn(stored, question, tool),
        }),
      );
      for (const { term } of found) stored.strengths[term] = 0;
      return hits;
    },
  };
};
