import { readQuestion } from "../index/question.ts";
import { vocabulary } from "../vocabulary.ts";

/** A question that was asked before, and the tools that answered it. */
export interface PastQuestion {
  /** Masked, and one short line. */
  readonly text: string;
  /** As models are shown them. */
  readonly tools: readonly string[];
}

export interface LikeQuestion extends PastQuestion {
  /** 0 to 1. */
  readonly likeness: number;
}

/** What was asked before. What comes and goes costs its own size; of more than so many, the oldest go. */
export interface PastQuestions {
  readonly size: number;
  readonly add: (question: PastQuestion) => void;
  /** Those that ask for much the same, likest first and of equals the newest. */
  readonly like: (text: string) => readonly LikeQuestion[];
}

/** So many at most have a say: a habit of years does not outweigh everything for good. */
const mostLike = 20;

/** What is less alike shares a common word or the name of a place. */
const leastLikeness = 0.35;

interface Kept extends PastQuestion {
  readonly number: number;
  readonly stems: ReadonlySet<string>;
  readonly weight: number;
}

/**
 * Likeness is the cosine of two questions over their stems, each as heavy as the word is rare; a word of near meaning
 * counts as far as it is near. An index of tools will not do here: its scores say which one is meant, so that of two
 * questions that are alike only one would get any.
 */
export const pastQuestions = (most: number): PastQuestions => {
  const kept = new Map<number, Kept>();
  const byStem = new Map<string, Set<Kept>>();
  let count = 0;

  const forget = (one: Kept): void => {
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
      const stems = new Set([...readQuestion(text).stems.keys()].filter(isTelling));
      if (stems.size === 0 || tools.length === 0) return;
      const one: Kept = { number: count++, text, tools, stems, weight: weightOf(stems) };
      kept.set(one.number, one);
      for (const stem of stems) {
        const others = byStem.get(stem);
        if (others === undefined) byStem.set(stem, new Set([one]));
        else others.add(one);
      }
      const [oldest] = kept.values();
      if (kept.size > most && oldest !== undefined) forget(oldest);
    },
    like: (text) => {
      const { stems, meant } = readQuestion(text);
      const asked = [...stems.keys()].filter(isTelling);
      const { rarityOf, stemAt } = vocabulary();
      const shared = new Map<Kept, number>();
      const share = (stem: string, strength: number): void => {
        for (const one of byStem.get(stem) ?? [])
          shared.set(one, (shared.get(one) ?? 0) + strength * rarityOf(stem));
      };
      for (const stem of asked) share(stem, 1);
      for (const [place, { strength, stem }] of meant) if (isTelling(stem)) share(stemAt(place), strength);
      const own = weightOf(asked);
      return [...shared]
        .map(([one, sum]) => ({ one, likeness: Math.min(1, sum / Math.sqrt(own * one.weight)) }))
        .filter(({ likeness }) => likeness >= leastLikeness)
        .sort((a, b) => b.likeness - a.likeness || b.one.number - a.one.number)
        .slice(0, mostLike)
        .map(({ one: { text: before, tools }, likeness }) => ({ text: before, tools, likeness }));
    },
  };
};

/** Numbers are what differs between two questions of one kind. */
const isTelling = (stem: string): boolean => !/\d/.test(stem);

const weightOf = (stems: Iterable<string>): number => {
  const { rarityOf } = vocabulary();
  let sum = 0;
  for (const stem of stems) sum += rarityOf(stem);
  return sum;
};
