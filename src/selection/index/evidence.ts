import type { Candidate } from "./candidates.ts";
import { directionOf, likenessOf } from "./direction.ts";
import type { Question } from "./question.ts";
import { pairOf, type Stored, type StoredTool, type TermRow, weightOf } from "./stored.ts";

/** What speaks for a tool, each from 0 to 1. */
export interface Evidence {
  /** The weight of the words it shares with the question, against that of the tool that shares most. */
  readonly shared: number;
  /** The same for that wish of the question which it answers best. */
  readonly wish: number;
  /** How much of its name the question says, and of its first sentence. */
  readonly named: number;
  readonly described: number;
  /** Words side by side in both. */
  readonly phrases: number;
  /** How nearly its words and those of one wish point in the same direction. */
  readonly meaning: number;
  /** The weight of the shared words as such, whatever other tools there are. */
  readonly weight: number;
}

export interface WeighedTool {
  readonly tool: StoredTool;
  /** The place of the wish that it answers best. */
  readonly answers: number;
  readonly evidence: Evidence;
}

/** Below this a phrase is no more than chance. */
const phraseFloor = 3;
/** The weight of shared words at which half of what they could say is said. */
const halfWeight = 20;

/** Looks at each candidate in full. The rows of the question's terms have them as `asked` meanwhile. */
export const weigh = (
  stored: Stored,
  question: Question,
  candidates: readonly Candidate[],
): readonly WeighedTool[] => {
  const pairs = askedPairs(stored, question);
  const directions = question.wishes.map(({ terms }) => directionOf(terms));
  const shared = candidates.map(({ byWish }) => byWish.reduce((sum, one) => sum + one, 0));
  const phrases = candidates.map(({ tool }) => phrasesIn(tool, pairs));
  const most = Math.max(1e-6, ...shared);
  const mostPhrases = Math.max(0, ...phrases) + phraseFloor;
  const mostByWish = question.wishes.map((_, wish) =>
    candidates.reduce((highest, { byWish }) => Math.max(highest, byWish[wish] as number), 1e-6),
  );
  return candidates.map(({ tool, byWish }, at) => {
    const weight = shared[at] as number;
    let answers = 0;
    let wish = 0;
    for (const [place, sum] of byWish.entries()) {
      const part = sum / (mostByWish[place] as number);
      if (part > wish) [answers, wish] = [place, part];
    }
    const evidence = {
      shared: weight / most,
      wish,
      ...saidOf(stored, tool),
      phrases: (phrases[at] as number) / mostPhrases,
      meaning: likenessOf(stored, tool, directions),
      weight: weight / (weight + halfWeight),
    };
    return { tool, answers, evidence };
  });
};

/** How much of a tool's name and first sentence the question says, by what the words are worth. */
const saidOf = (
  stored: Stored,
  { terms, onlyName, name, head }: StoredTool,
): Pick<Evidence, "named" | "described"> => {
  let ofName = 0;
  let inName = 0;
  let ofFirst = 0;
  let inFirst = 0;
  for (let at = 0; at < head; at++) {
    const row = stored.rows[terms[at] as number] as TermRow;
    const weight = weightOf(stored, row);
    const said = row.asked?.strength === 1 ? weight : 0;
    if (at < name) {
      ofName += weight;
      inName += said;
    }
    if (at >= onlyName) {
      ofFirst += weight;
      inFirst += said;
    }
  }
  return { named: ofName === 0 ? 0 : inName / ofName, described: ofFirst === 0 ? 0 : inFirst / ofFirst };
};

const phrasesIn = ({ pairs }: StoredTool, asked: ReadonlyMap<number, number>): number => {
  if (asked.size === 0) return 0;
  let sum = 0;
  for (let at = 0; at < pairs.length; at++) sum += asked.get(pairs[at] as number) ?? 0;
  return sum;
};

/** The pairs of words that stand side by side in the question and may do so in tools, with what they are worth. */
const askedPairs = (stored: Stored, { wishes }: Question): ReadonlyMap<number, number> => {
  const asked = new Map<number, number>();
  for (const { terms } of wishes) {
    let before: number | undefined;
    for (const stem of terms) {
      const number = stored.byStem.get(stem);
      if (before !== undefined && number !== undefined) {
        const left = weightOf(stored, stored.rows[before] as TermRow);
        const right = weightOf(stored, stored.rows[number] as TermRow);
        asked.set(pairOf(before, number), (left + right) / 2);
      }
      before = number;
    }
  }
  return asked;
};
