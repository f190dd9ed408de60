import { namelessText } from "./definition.ts";
import type { LockedDefinition } from "./lock.ts";

interface DefinitionWords {
  readonly name: string;
  readonly text: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

const minSimilarity = 0.85;
/** The server decides how many tools change, so comparisons are limited. */
const maxComparedPairs = 2_000;
const maxComparedLength = 20_000;

const wordsOf = (definition: LockedDefinition): DefinitionWords => {
  const text = namelessText(definition);
  const counts = new Map<string, number>();
  let total = 0;
  for (const word of text.slice(0, maxComparedLength).match(/[\p{L}\p{N}]+/gu) ?? []) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    total++;
  }
  return { name: definition.name, text, counts, total };
};

/** Dice coefficient. */
const similarity = (one: DefinitionWords, other: DefinitionWords): number => {
  let shared = 0;
  for (const [word, count] of one.counts) shared += Math.min(count, other.counts.get(word) ?? 0);
  return (2 * shared) / Math.max(1, one.total + other.total);
};

export const createFormerNameFinder = (
  removed: readonly LockedDefinition[],
): ((definition: LockedDefinition) => string | undefined) => {
  let before: readonly DefinitionWords[] | undefined;
  let remainingPairs = maxComparedPairs;
  return (definition) => {
    if (removed.length === 0) return undefined;
    before ??= removed.map(wordsOf);
    const now = wordsOf(definition);
    const same = before.find(({ text }) => text === now.text);
    if (same !== undefined) return same.name;
    let best: { readonly name: string; readonly score: number } | undefined;
    for (const each of before) {
      if (--remainingPairs < 0) break;
      const score = similarity(now, each);
      if (score >= minSimilarity && score > (best?.score ?? 0)) best = { name: each.name, score };
    }
    return best?.name;
  };
};
