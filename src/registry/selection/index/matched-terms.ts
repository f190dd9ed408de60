import { type IndexData, type IndexedTool, type TermRow, termWeightOf } from "./index-data.ts";
import type { ParsedQuery } from "./parse-query.ts";

/** Where a word occurs in a tool; the most important location counts. */
export type TermLocation = "name" | "first sentence" | "elsewhere";

/** A stem of the query, or a related one, that occurs in a tool. */
export interface MatchedTerm {
  /** The stem in the tool. */
  readonly term: string;
  /** The stem of the query, if it is another one. */
  readonly for?: string;
  readonly place: TermLocation;
  /** Its contribution to the weight of shared words. */
  readonly weight: number;
}

/** `index.strengths` must be set for the query. */
export const matchedTerms = (
  index: IndexData,
  { relatedStems }: ParsedQuery,
  { terms, weights, name, headLength }: IndexedTool,
): readonly MatchedTerm[] => {
  const all: MatchedTerm[] = [];
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] as number;
    const strength = index.strengths[term] as number;
    if (strength === 0) continue;
    const { stem, place } = index.rows[term] as TermRow;
    const other = strength === 1 || place === undefined ? undefined : relatedStems.get(place)?.stem;
    all.push({
      term: stem,
      ...(other === undefined ? {} : { for: other }),
      place: at < name ? "name" : at < headLength ? "first sentence" : "elsewhere",
      weight: strength * termWeightOf(index, term) * (weights[at] as number),
    });
  }
  return all.sort((a, b) => b.weight - a.weight);
};
