import type { ToolSpec } from "../words/spec.ts";
import { emptySpace, findCandidates, foundRows, type IsAllowed } from "./index/candidates.ts";
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
  readonly evidence: Omit<Evidence, "tool" | "answers">;
  /** The part of the question that it answers best; the whole where there is one wish. */
  readonly wish: string;
  /** The words of the question that stand in it. */
  readonly found: readonly FoundTerm[];
}

export interface IndexQuery {
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

/** So many tools are looked at in full: for a question with one wish, and for each wish of one with several. */
const lookedAt = { alone: 64, each: 24 } as const;

export const toolIndex = (): ToolIndex => {
  const stored = emptyStored();
  const space = emptySpace();
  return {
    get size() {
      return stored.byKey.size;
    },
    add: (key, spec) => addTool(stored, key, spec),
    remove: (key) => removeTool(stored, key),
    search: (text, { limit, isAllowed }) => {
      const question = readQuestion(text);
      const { wishes } = question;
      const found = foundRows(stored, question.asked);
      const perWish = Math.max(limit, wishes.length === 1 ? lookedAt.alone : lookedAt.each);
      const candidates = findCandidates(stored, found, wishes.length, perWish, space, isAllowed);
      const best = judge(weigh(stored, question, found, candidates)).slice(0, limit);
      return best.map(({ evidence: { tool, answers, ...evidence }, score }): IndexHit => {
        const { key, spec } = tool;
        const wish = wishes[answers]?.text ?? "";
        return { key, spec, score, evidence, wish, found: foundIn(stored, found, tool) };
      });
    },
  };
};
