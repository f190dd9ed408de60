import { parseQuery } from "../index/parse-query.ts";
import { vocabulary } from "../vocabulary.ts";

/** A question that was asked before, and the tools that answered it. */
export interface PastQuestion {
  /** Masked, and one short line. */
  readonly text: string;
  /** As models are shown them. */
  readonly tools: readonly string[];
}

export interface SimilarQuestion extends PastQuestion {
  /** 0 to 1. */
  readonly likeness: number;
}

/** What was asked before. What comes and goes costs its own size; of more than so many, the oldest go. */
export interface QuestionHistory {
  readonly size: number;
  readonly add: (question: PastQuestion) => void;
  /** Those that ask for much the same, likest first and of equals the newest. */
  readonly like: (text: string) => readonly SimilarQuestion[];
}

/** So many at most have a say: a habit of years does not outweigh everything for good. */
const maxSimilar = 20;

/** What is less alike shares a common word or the name of a place. */
const minSimilarity = 0.35;

interface StoredQuestion extends PastQuestion {
  readonly number: number;
  readonly stems: ReadonlySet<string>;
  readonly weight: number;
}

/**
 * Likeness is the cosine of two questions over their stems, each as heavy as the word is rare; a word of near meaning
 * counts as far as it is near. An index of tools will not do here: its scores say which one is meant, so that of two
 * questions that are alike only one would get any.
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
      const { stems, meant } = parseQuery(text);
      const queryStems = [...stems.keys()].filter(hasNoDigits);
      const { rarityOf, stemAt } = vocabulary();
      const shared = new Map<StoredQuestion, number>();
      const share = (stem: string, strength: number): void => {
        for (const one of byStem.get(stem) ?? [])
          shared.set(one, (shared.get(one) ?? 0) + strength * rarityOf(stem));
      };
      for (const stem of queryStems) share(stem, 1);
      for (const [place, { strength, stem }] of meant) if (hasNoDigits(stem)) share(stemAt(place), strength);
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

/** Numbers are what differs between two questions of one kind. */
const hasNoDigits = (stem: string): boolean => !/\d/.test(stem);

const totalWeight = (stems: Iterable<string>): number => {
  const { rarityOf } = vocabulary();
  let sum = 0;
  for (const stem of stems) sum += rarityOf(stem);
  return sum;
};
