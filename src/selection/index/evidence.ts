import { dimensions, vocabulary } from "../vocabulary.ts";
import type { FoundRow } from "./candidates.ts";
import type { Question } from "./question.ts";
import { pairOf, type Stored, type StoredTool, type TermRow, weightOf } from "./stored.ts";

/** What speaks for a tool, each from 0 to 1. */
export interface Evidence {
  readonly tool: StoredTool;
  /** The place of the wish that it answers best. */
  readonly answers: number;
  /** The weight of the words it shares with the question, against that of the tool that shares most. */
  readonly shared: number;
  /** The same for that wish of the question which it answers best. */
  readonly wish: number;
  /** How much of its name, and of its first sentence, the question says. */
  readonly named: number;
  readonly described: number;
  /** Words side by side in both. */
  readonly phrases: number;
  /** How nearly its words and those of one wish point in the same direction. */
  readonly meaning: number;
  /** How much of the question it says: no matter what other tools there are. */
  readonly covered: number;
  /** The weight of the shared words as such: no matter what other tools there are. */
  readonly weight: number;
}

interface Sums {
  readonly tool: StoredTool;
  readonly shared: number;
  readonly byWish: Float32Array;
  readonly named: number;
  readonly described: number;
  readonly phrases: number;
  readonly meaning: number;
  readonly covered: number;
}

/** Below this a phrase is no more than chance. */
const phraseFloor = 3;
/** The weight of shared words at which half of what they could say is said. */
const halfWeight = 20;

/** Looks at each candidate in full. */
export const weigh = (
  stored: Stored,
  question: Question,
  found: readonly FoundRow[],
  candidates: readonly StoredTool[],
): readonly Evidence[] => {
  const pairs = askedPairs(stored, question);
  const directions = question.wishes.map(({ terms }) => directionOf(terms));
  const best = new Float32Array(question.says.length);
  for (const { row, asked } of found) row.asked = asked;
  const all = candidates.map((tool) => addUp(stored, question, tool, pairs, directions, best));
  for (const { row } of found) row.asked = undefined;
  const most = Math.max(1e-6, ...all.map(({ shared }) => shared));
  const mostPhrases = Math.max(0, ...all.map(({ phrases }) => phrases)) + phraseFloor;
  const mostByWish = question.wishes.map((_, wish) =>
    Math.max(1e-6, ...all.map(({ byWish }) => byWish[wish] as number)),
  );
  return all.map(({ byWish, tool, shared, named, described, phrases, meaning, covered }) => {
    let answers = 0;
    let wish = 0;
    for (let at = 0; at < byWish.length; at++) {
      const part = (byWish[at] as number) / (mostByWish[at] as number);
      if (part > wish) [answers, wish] = [at, part];
    }
    return {
      tool,
      answers,
      shared: shared / most,
      wish,
      named,
      described,
      phrases: phrases / mostPhrases,
      meaning,
      covered,
      weight: shared / (shared + halfWeight),
    };
  });
};

const addUp = (
  stored: Stored,
  { wishes, says, saysInAll }: Question,
  tool: StoredTool,
  pairs: ReadonlyMap<number, number>,
  directions: readonly Float32Array[],
  best: Float32Array,
): Sums => {
  const { terms, weights, onlyName, name, head } = tool;
  const byWish = new Float32Array(wishes.length);
  let shared = 0;
  let inName = 0;
  let inFirst = 0;
  let ofName = 0;
  let ofFirst = 0;
  best.fill(0);
  for (let at = 0; at < terms.length; at++) {
    const row = stored.rows[terms[at] as number] as TermRow;
    const { asked } = row;
    if (at < head) {
      const weight = weightOf(stored, row);
      if (at < name) ofName += weight;
      if (at >= onlyName) ofFirst += weight;
      if (asked?.strength === 1) {
        if (at < name) inName += weight;
        if (at >= onlyName) inFirst += weight;
      }
    }
    if (asked === undefined) continue;
    const part = asked.strength * weightOf(stored, row) * (weights[at] as number);
    shared += part;
    if (asked.strength > (best[asked.from] as number)) best[asked.from] = asked.strength;
    for (let wish = 0; wish < byWish.length; wish++) {
      if ((asked.wishes & (1 << wish)) !== 0) byWish[wish] = (byWish[wish] as number) + part;
    }
  }
  let covered = 0;
  for (let at = 0; at < best.length; at++) covered += (best[at] as number) * (says[at] as number);
  return {
    tool,
    shared,
    byWish,
    named: ofName === 0 ? 0 : inName / ofName,
    described: ofFirst === 0 ? 0 : inFirst / ofFirst,
    phrases: phrasesIn(tool, pairs),
    meaning: meaningOf(stored, tool, directions),
    covered: saysInAll === 0 ? 0 : covered / saysInAll,
  };
};

const phrasesIn = ({ pairs }: StoredTool, asked: ReadonlyMap<number, number>): number => {
  if (asked.size === 0) return 0;
  let sum = 0;
  for (let at = 0; at < pairs.length; at++) sum += asked.get(pairs[at] as number) ?? 0;
  return sum;
};

const askedPairs = (stored: Stored, { pairs }: Question): ReadonlyMap<number, number> => {
  const asked = new Map<number, number>();
  for (const [left, right] of pairs) {
    const before = stored.byStem.get(left);
    const after = stored.byStem.get(right);
    if (before === undefined || after === undefined) continue;
    const weight = weightOf(stored, stored.rows[before] as TermRow) + weightOf(stored, stored.rows[after] as TermRow);
    asked.set(pairOf(before, after), weight / 2);
  }
  return asked;
};

const directionOf = (terms: readonly string[]): Float32Array => {
  const { find, addTo, rarityOf } = vocabulary();
  const sum = new Float32Array(dimensions);
  for (const stem of new Set(terms)) {
    const place = find(stem);
    if (place !== undefined) addTo(sum, place, rarityOf(stem));
  }
  return toUnit(sum);
};

/** A word is worth what it says among these tools; when their number has changed much, it is asked again. */
const directionOfTool = (stored: Stored, tool: StoredTool): Float32Array => {
  const size = stored.byKey.size;
  if (tool.direction !== undefined && size < tool.directionAt * 1.5 && size > tool.directionAt / 1.5)
    return tool.direction;
  const { addTo } = vocabulary();
  const sum = new Float32Array(dimensions);
  for (let at = 0; at < tool.head; at++) {
    const row = stored.rows[tool.terms[at] as number] as TermRow;
    if (row.place !== undefined) addTo(sum, row.place, weightOf(stored, row));
  }
  tool.direction = toUnit(sum);
  tool.directionAt = size;
  return tool.direction;
};

const meaningOf = (stored: Stored, tool: StoredTool, directions: readonly Float32Array[]): number => {
  const own = directionOfTool(stored, tool);
  let nearest = 0;
  for (const direction of directions) {
    let sum = 0;
    for (let at = 0; at < dimensions; at++) sum += (own[at] as number) * (direction[at] as number);
    if (sum > nearest) nearest = sum;
  }
  return Math.min(1, nearest);
};

const toUnit = (sum: Float32Array): Float32Array => {
  let length = 0;
  for (const one of sum) length += one * one;
  if (length > 0) {
    const scale = 1 / Math.sqrt(length);
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) * scale;
  }
  return sum;
};
