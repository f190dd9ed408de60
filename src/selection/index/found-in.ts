import { type Stored, type StoredTool, type TermRow, weightOf } from "./stored.ts";

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

/** Weightiest first. */
export const foundIn = (
  stored: Stored,
  { terms, weights, name, head }: StoredTool,
): readonly FoundTerm[] => {
  const all: FoundTerm[] = [];
  for (let at = 0; at < terms.length; at++) {
    const row = stored.rows[terms[at] as number] as TermRow;
    if (row.asked === undefined) continue;
    const { stem, strength } = row.asked;
    all.push({
      term: row.stem,
      ...(strength === 1 ? {} : { for: stem }),
      place: at < name ? "name" : at < head ? "first sentence" : "elsewhere",
      weight: strength * weightOf(stored, row) * (weights[at] as number),
    });
  }
  return all.sort((a, b) => b.weight - a.weight);
};
