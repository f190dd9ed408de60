import type { Question } from "./question.ts";
import { type Stored, type StoredTool, type TermRow, worthOf } from "./stored.ts";

/** Where in a tool a word was found: the weightiest place it stands in. */
export type TermPlace = "name" | "first sentence" | "elsewhere";

/** A word of the question, or one of like meaning, that stands in a tool. Words are stems. */
export interface FoundTerm {
  /** As the tool has it. */
  readonly term: string;
  /** The word of the question that it stands for, if it is another one. */
  readonly for?: string;
  readonly place: TermPlace;
  /** What it adds to the weight of the words they share. */
  readonly weight: number;
}

/** Weightiest first. The strengths of the question's terms are set meanwhile. */
export const foundIn = (
  stored: Stored,
  { meant }: Question,
  { terms, weights, name, head }: StoredTool,
): readonly FoundTerm[] => {
  const all: FoundTerm[] = [];
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] as number;
    const strength = stored.strengths[term] as number;
    if (strength === 0) continue;
    const { stem, place } = stored.rows[term] as TermRow;
    const other = strength === 1 || place === undefined ? undefined : meant.get(place)?.stem;
    all.push({
      term: stem,
      ...(other === undefined ? {} : { for: other }),
      place: at < name ? "name" : at < head ? "first sentence" : "elsewhere",
      weight: strength * worthOf(stored, term) * (weights[at] as number),
    });
  }
  return all.sort((a, b) => b.weight - a.weight);
};
