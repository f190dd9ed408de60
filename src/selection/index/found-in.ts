import type { FoundRow } from "./candidates.ts";
import type { Stored, StoredTool, TermRow } from "./stored.ts";

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
  found: readonly FoundRow[],
  { terms, weights, name, head }: StoredTool,
): readonly FoundTerm[] => {
  const asked = new Map<TermRow, FoundRow>(found.map((one) => [one.row, one]));
  const stems = found.filter(({ asked: { strength } }) => strength === 1);
  const all: FoundTerm[] = [];
  for (let at = 0; at < terms.length; at++) {
    const one = asked.get(stored.rows[terms[at] as number] as TermRow);
    if (one === undefined) continue;
    const { stem, strength, from } = one.asked;
    const meant = strength === 1 ? undefined : stems.find((other) => other.asked.from === from)?.asked.stem;
    all.push({
      term: stem,
      ...(meant === undefined ? {} : { for: meant }),
      place: at < name ? "name" : at < head ? "first sentence" : "elsewhere",
      weight: one.weight * (weights[at] as number),
    });
  }
  return all.sort((a, b) => b.weight - a.weight);
};
