import { type IndexData, type IndexedTool, type TermRow, termWeightOf } from "./index-data.ts";
import type { ParsedQuery } from "./parse-query.ts";

/** Where in a tool a word was found: the weightiest place it stands in. */
export type TermLocation = "name" | "first sentence" | "elsewhere";

/** A word of the question, or one of like meaning, that stands in a tool. Words are stems. */
export interface MatchedTerm {
  /** As the tool has it. */
  readonly term: string;
  /** The word of the question that it stands for, if it is another one. */
  readonly for?: string;
  readonly place: TermLocation;
  /** What it adds to the weight of the words they share. */
  readonly weight: number;
}

/** Weightiest first. The strengths of the question's terms are set meanwhile. */
export const matchedTerms = (
  index: IndexData,
  { meant }: ParsedQuery,
  { terms, weights, name, head }: IndexedTool,
): readonly MatchedTerm[] => {
  const all: MatchedTerm[] = [];
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] as number;
    const strength = index.strengths[term] as number;
    if (strength === 0) continue;
    const { stem, place } = index.rows[term] as TermRow;
    const other = strength === 1 || place === undefined ? undefined : meant.get(place)?.stem;
    all.push({
      term: stem,
      ...(other === undefined ? {} : { for: other }),
      place: at < name ? "name" : at < head ? "first sentence" : "elsewhere",
      weight: strength * termWeightOf(index, term) * (weights[at] as number),
    });
  }
  return all.sort((a, b) => b.weight - a.weight);
};
