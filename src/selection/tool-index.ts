import type { ToolSpec } from "../words/spec.ts";
import { keywordScore } from "./keyword-score.ts";

/** A word of the question that stands in a tool, and where. */
export interface FoundTerm {
  /** As the question has it. */
  readonly term: string;
  readonly place: string;
  /** What it adds to the score. */
  readonly weight: number;
}

/** A tool that an index found. */
export interface IndexHit {
  readonly key: string;
  readonly spec: ToolSpec;
  /** 0 to 1: how likely it is that the tool is meant. */
  readonly score: number;
  readonly found: readonly FoundTerm[];
}

export interface IndexQuery {
  readonly limit: number;
  /** Says which tools may be found; it is asked for few of them, the best first. */
  readonly isAllowed?: ((key: string, spec: ToolSpec) => boolean) | undefined;
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

export const toolIndex = (): ToolIndex => {
  const byKey = new Map<string, ToolSpec>();
  return {
    get size() {
      return byKey.size;
    },
    add: (key, spec) => {
      byKey.set(key, spec);
    },
    remove: (key) => byKey.delete(key),
    search: (text, { limit, isAllowed }) =>
      [...byKey]
        .filter(([key, spec]) => isAllowed?.(key, spec) !== false)
        .map(([key, spec]): IndexHit => {
          const { score, details } = keywordScore(text, spec);
          const found = details.found.map(({ word, place }) => ({ term: word, place, weight: 1 }));
          return { key, spec, score, found };
        })
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit),
  };
};
