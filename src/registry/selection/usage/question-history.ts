import { parseQuery } from "../index/parse-query.ts";
import { vocabulary } from "../vocabulary.ts";

export interface PastQuestion {
  /** Masked, on one short line. */
  readonly text: string;
  readonly tools: readonly string[];
}

export interface SimilarQuestion extends PastQuestion {
  readonly likeness: number;
}

export interface QuestionHistory {
  readonly size: number;
  readonly add: (question: PastQuestion) => void;
  /** Most similar first, then newest first. */
  readonly like: (text: string) => readonly SimilarQuestion[];
}

/** Limits the influence of old habits. */
const maxSimilar = 20;

/** Less similar questions share a common word or the name of a place. */
const minSimilarity = 0.35;

interface StoredQuestion extends PastQuestion {
  readonly number: number;
  readonly stems: ReadonlySet<string>;
  readonly weight: number;
}

/**
 * The cosine of two questions over their stems, weighted by rarity. Scores of a tool index compare
 * candidates, so of two similar questions only one would score.
 */
export const questionHistory = (max: number): QuestionHistory => {
  const kept = new Map<number, StoredQuestion>();
  const byStem = new Map<string, Set<StoredQuestion>>();
  let count = 0;

  const forget = (one: StoredQuestion): void => {
    kept.delete(one.number);
    for (const stem of one.stems) {
      const others = byStem.get(stem);
      others?.delete(one);
      if (others?.size === 0) byStem.delete(stem);
    }
  };

  return {
    get size() {
      return kept.size;
    },
    add: ({ text, tools }) => {
      const stems = new Set([...parseQuery(text).stems.keys()].filter(hasNoDigits));
      if (stems.size === 0 || tools.length === 0) return;
      const one: StoredQuestion = { number: count++, text, tools, stems, weight: totalWeight(stems) };
      kept.set(one.number, one);
      for (const stem of stems) {
        const others = byStem.get(stem);
        if (others === undefined) byStem.set(stem, new Set([one]));
        else others.add(one);
      }
      const [oldest] = kept.values();
      if (kept.size > max && oldest !== undefined) forget(oldest);
    },
    like: (text) => {
      const { stems, relatedStems } = parseQuery(text);
      const queryStems = [...stems.keys()].filter(hasNoDigits);
      const { rarityOf, stemAt } = vocabulary();
      const shared = new Map<StoredQuestion, number>();
      const share = (stem: string, strength: number): void => {
        for (const one of byStem.get(stem) ?? [])
          shared.set(one, (shared.get(one) ?? 0) + strength * rarityOf(stem));
      };
      for (const stem of queryStems) share(stem, 1);
      for (const [place, { strength, stem }] of relatedStems)
        if (hasNoDigits(stem)) share(stemAt(place), strength);
      const own = totalWeight(queryStems);
      return [...shared]
        .map(([one, sum]) => ({ one, likeness: Math.min(1, sum / Math.sqrt(own * one.weight)) }))
        .filter(({ likeness }) => likeness >= minSimilarity)
        .sort((a, b) => b.likeness - a.likeness || b.one.number - a.one.number)
        .slice(0, maxSimilar)
        .map(({ one: { text: before, tools }, likeness }) => ({ text: before, tools, likeness }));
    },
  };
};

/** Questions of one kind differ in their numbers. */
const hasNoDigits = (stem: string): boolean => !/\d/.test(stem);

const totalWeight = (stems: Iterable<string>): number => {
  const { rarityOf } = vocabulary();
  let sum = 0;
  for (const stem of stems) sum += rarityOf(stem);
  return sum;
};
