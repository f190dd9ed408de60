import type { ToolSpec } from "../../../types/spec.ts";
import { type IndexData, type IndexedTool, maxTermWeight, type TermRow, termWeightOf } from "./index-data.ts";
import type { ParsedQuery, QueryTerm } from "./parse-query.ts";

export type IsAllowed = (key: string, spec: ToolSpec) => boolean;

/** A term of the question, or one of like meaning, that some tool has. */
export interface MatchedRow {
  readonly term: number;
  readonly row: TermRow;
  readonly asked: QueryTerm;
  readonly weight: number;
}

/** A tool that shares words with the question, and the weight of those that it shares with each wish. */
export interface Candidate {
  readonly tool: IndexedTool;
  readonly byWish: readonly number[];
}

/** Weightiest first. */
export const matchedRows = (index: IndexData, { stems, meant }: ParsedQuery): readonly MatchedRow[] => {
  const found: MatchedRow[] = [];
  const add = (term: number, asked: QueryTerm): void => {
    const row = index.rows[term] as TermRow;
    if (row.live > 0) found.push({ term, row, asked, weight: asked.strength * termWeightOf(index, term) });
  };
  for (const [stem, asked] of stems) {
    const term = index.byStem.get(stem);
    if (term !== undefined) add(term, asked);
  }
  for (const [place, asked] of meant) {
    const term = index.byPlace[place] as number;
    if (term >= 0) add(term, asked);
  }
  return found.sort((a, b) => b.weight - a.weight);
};

/**
 * How many entries of term rows are read for one wish: so many, and so many more for each tool there is. Among a few
 * thousand tools that is everything. The weightiest row is always read to its end.
 */
const maxRowsRead = { always: 6_000, perTool: 0.2 } as const;

/** Finds the tools that share the weightiest words with each wish. Its sums are kept from question to question. */
export const candidateFinder = (index: IndexData) => {
  /** For each wish a sum for each tool: zero as long as no question is under way. */
  const spaces: Float32Array[] = [];
  const spaceFor = (wish: number): Float32Array => {
    const size = index.tools.length;
    const space = spaces[wish];
    if (space !== undefined && space.length >= size) return space;
    spaces[wish] = new Float32Array(Math.ceil(size * 1.5) + 16);
    return spaces[wish];
  };
  /** So many for each wish, in no order. */
  return (
    found: readonly MatchedRow[],
    wishes: number,
    perWish: number,
    isAllowed: IsAllowed | undefined,
  ): readonly Candidate[] => {
    const { tools, gone } = index;
    const isIn = (number: number): boolean => {
      if (gone[number] === 1) return false;
      if (isAllowed === undefined) return true;
      const { key, spec } = tools[number] as IndexedTool;
      return isAllowed(key, spec);
    };
    const used = Array.from({ length: wishes }, (_, wish) => spaceFor(wish));
    const chosen = new Set<number>();
    const most = Math.ceil(maxRowsRead.always + maxRowsRead.perTool * tools.length);
    try {
      for (const [wish, sums] of used.entries()) {
        const read = sumRows(found, 1 << wish, most, sums);
        for (const number of bestTools(read, sums, perWish, isIn)) chosen.add(number);
      }
      return Array.from(chosen, (number) => ({
        tool: tools[number] as IndexedTool,
        byWish: used.map((sums) => Math.abs(sums[number] as number)),
      }));
    } finally {
      // Also where whoever is asked what is allowed throws.
      for (const sums of used) sums.fill(0, 0, tools.length);
    }
  };
};

/** A row that was read. */
interface ScannedRow {
  readonly tools: Int32Array;
  readonly count: number;
  readonly weight: number;
}

/** The weightiest words first, until enough has been read: what is left over says least. */
const sumRows = (
  found: readonly MatchedRow[],
  bit: number,
  max: number,
  sums: Float32Array,
): readonly ScannedRow[] => {
  const read: ScannedRow[] = [];
  let left = max;
  for (const { row, asked, weight } of found) {
    if ((asked.wishes & bit) === 0 || (row.count > left && read.length > 0)) continue;
    const { tools, weights, count } = row;
    left -= count;
    read.push({ tools, count, weight });
    for (let at = 0; at < count; at++) {
      const number = tools[at] as number;
      sums[number] = (sums[number] as number) + weight * (weights[at] as number);
    }
  }
  return read;
};

/**
 * The tools with the greatest sums; whether one may be among them is asked only of those that would be. The weightiest
 * rows are gone through first, and no further once what is left could lift none that stands in no row before. A sum
 * that was looked at has a minus from then on.
 */
const bestTools = (
  read: readonly ScannedRow[],
  sums: Float32Array,
  max: number,
  isIn: (number: number) => boolean,
): readonly number[] => {
  const best: number[] = [];
  const bestSums: number[] = [];
  let liftable = read.reduce((sum, { weight }) => sum + weight * maxTermWeight, 0);
  let least = 0;
  for (const { tools, count, weight } of read) {
    for (let at = 0; at < count; at++) {
      const number = tools[at] as number;
      const sum = sums[number] as number;
      if (sum <= least) continue;
      sums[number] = -sum;
      if (!isIn(number)) continue;
      let place = best.length === max ? max - 1 : best.length;
      for (; place > 0 && ranksBefore(sum, number, bestSums[place - 1]!, best[place - 1]!); place--) {
        best[place] = best[place - 1] as number;
        bestSums[place] = bestSums[place - 1] as number;
      }
      best[place] = number;
      bestSums[place] = sum;
      if (best.length === max) least = bestSums[max - 1] as number;
    }
    liftable -= weight * maxTermWeight;
    if (best.length === max && liftable <= least) break;
  }
  return best;
};

/** Of equals the one that came first. */
const ranksBefore = (sum: number, number: number, otherSum: number, other: number): boolean =>
  sum > otherSum || (sum === otherSum && number < other);
