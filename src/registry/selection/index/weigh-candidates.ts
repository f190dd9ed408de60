import { dimensions, vocabulary } from "../vocabulary.ts";
import type { Candidate } from "./candidate-finder.ts";
import { type IndexData, type IndexedTool, pairHash, type TermRow, termWeightOf } from "./index-data.ts";
import type { ParsedQuery } from "./parse-query.ts";

/** Each value is from 0 to 1. */
export interface Evidence {
  /** Weight of the shared words, relative to the best candidate. */
  readonly shared: number;
  /** The same for the intent that the tool answers best. */
  readonly wish: number;
  /** Weighted share of the name, and of the first sentence, that the query contains. */
  readonly named: number;
  readonly described: number;
  readonly phrases: number;
  readonly meaning: number;
  /** Weight of the shared words, independent of other tools. */
  readonly weight: number;
}

export interface WeightedTool {
  readonly tool: IndexedTool;
  /** Index of the intent that it answers best. */
  readonly answers: number;
  readonly evidence: Evidence;
}

const minPhraseWeight = 3;
/** Weight of shared words at which the evidence is one half. */
const halfWeight = 20;

/** `index.strengths` must be set for the query. */
export const weighCandidates = (
  index: IndexData,
  question: ParsedQuery,
  candidates: readonly Candidate[],
): readonly WeightedTool[] => {
  const pairs = queryPairs(index, question);
  const directions = question.wishes.map(({ terms }) => directionOf(terms));
  const shared = candidates.map(({ byWish }) => byWish.reduce((sum, one) => sum + one, 0));
  const phrases = candidates.map(({ tool }) => phraseWeight(tool, pairs));
  const most = maxOf(shared, 1e-6);
  const mostPhrases = maxOf(phrases, 0) + minPhraseWeight;
  const mostByWish = question.wishes.map((_, wish) =>
    candidates.reduce((highest, { byWish }) => Math.max(highest, byWish[wish] as number), 1e-6),
  );
  return candidates.map(({ tool, byWish }, at) => {
    const weight = shared[at] as number;
    let answers = 0;
    let wish = 0;
    for (let place = 0; place < byWish.length; place++) {
      const part = (byWish[place] as number) / (mostByWish[place] as number);
      if (part > wish) {
        answers = place;
        wish = part;
      }
    }
    const evidence = {
      shared: weight / most,
      wish,
      named: mentionedShare(index, tool, 0, tool.name),
      described: mentionedShare(index, tool, tool.onlyName, tool.headLength),
      phrases: (phrases[at] as number) / mostPhrases,
      meaning: directionLikeness(index, tool, directions),
      weight: weight / (weight + halfWeight),
    };
    return { tool, answers, evidence };
  });
};

const maxOf = (all: readonly number[], min: number): number =>
  all.reduce((highest, one) => Math.max(highest, one), min);

const mentionedShare = (
  index: IndexData,
  { headTermsAndPairs }: IndexedTool,
  start: number,
  end: number,
): number => {
  let all = 0;
  let mentionedWeight = 0;
  for (let at = start; at < end; at++) {
    const term = headTermsAndPairs[at] as number;
    const worth = termWeightOf(index, term);
    all += worth;
    if (index.strengths[term] === 1) mentionedWeight += worth;
  }
  return all === 0 ? 0 : mentionedWeight / all;
};

interface QueryPairs {
  readonly worth: ReadonlyMap<number, number>;
  /** A filter by the lowest bits, because most pairs do not match. */
  readonly hints: Uint8Array;
}

const hintBits = 1_023;

const phraseWeight = (
  { headTermsAndPairs, headLength }: IndexedTool,
  { worth, hints }: QueryPairs,
): number => {
  let sum = 0;
  for (let at = headLength; at < headTermsAndPairs.length; at++) {
    const pair = headTermsAndPairs[at] as number;
    if (hints[pair & hintBits] === 1) sum += worth.get(pair) ?? 0;
  }
  return sum;
};

const queryPairs = (index: IndexData, { wishes }: ParsedQuery): QueryPairs => {
  const worth = new Map<number, number>();
  const hints = new Uint8Array(hintBits + 1);
  for (const { terms } of wishes) {
    let before: number | undefined;
    for (const stem of terms) {
      const term = index.byStem.get(stem);
      if (before !== undefined && term !== undefined) {
        const pair = pairHash(before, term);
        worth.set(pair, (termWeightOf(index, before) + termWeightOf(index, term)) / 2);
        hints[pair & hintBits] = 1;
      }
      before = term;
    }
  }
  return { worth, hints };
};

/** Returns a vector of length one, or zero if no word is known. */
const directionOf = (terms: readonly string[]): Float32Array => {
  const { find, addTo, rarityOf } = vocabulary();
  const sum = new Float32Array(dimensions);
  for (const stem of new Set(terms)) {
    const place = find(stem);
    if (place !== undefined) addTo(sum, place, rarityOf(stem));
  }
  return normalizeSum(sum);
};

const directionLikeness = (
  index: IndexData,
  tool: IndexedTool,
  directions: readonly Float32Array[],
): number => {
  const own = toolDirection(index, tool);
  let nearest = 0;
  for (const direction of directions) nearest = Math.max(nearest, dotProduct(own, direction));
  return Math.min(1, nearest);
};

/** Term weights depend on the indexed tools, so the direction is computed again after a change. */
const toolDirection = (index: IndexData, tool: IndexedTool): Float32Array => {
  const { direction, directionAt } = tool;
  if (direction !== undefined && directionAt === index.version) return direction;
  const { addTo } = vocabulary();
  const sum = new Float32Array(dimensions);
  for (let at = 0; at < tool.headLength; at++) {
    const term = tool.headTermsAndPairs[at] as number;
    const { place } = index.rows[term] as TermRow;
    if (place !== undefined) addTo(sum, place, termWeightOf(index, term));
  }
  tool.direction = normalizeSum(sum);
  tool.directionAt = index.version;
  return tool.direction;
};

/** Four accumulators, because each addition waits for the previous one. */
const dotProduct = (left: Float32Array, right: Float32Array): number => {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < dimensions; at += 4) {
    a += (left[at] as number) * (right[at] as number);
    b += (left[at + 1] as number) * (right[at + 1] as number);
    c += (left[at + 2] as number) * (right[at + 2] as number);
    d += (left[at + 3] as number) * (right[at + 3] as number);
  }
  return a + b + c + d;
};

const normalizeSum = (sum: Float32Array): Float32Array => {
  const square = dotProduct(sum, sum);
  if (square > 0) {
    const scale = 1 / Math.sqrt(square);
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] as number) * scale;
  }
  return sum;
};
