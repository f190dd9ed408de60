import type { ToolSpec } from "../../../types/tool.ts";
import { type IndexData, type IndexedTool, maxTermWeight, type TermRow, termWeightOf } from "./index-data.ts";
import type { ParsedQuery, QueryTerm } from "./parse-query.ts";

export type IsAllowed = (key: string, spec: ToolSpec) => boolean;

export interface MatchedRow {
  readonly term: number;
  readonly row: TermRow;
  readonly asked: QueryTerm;
  readonly weight: number;
}

export interface Candidate {
  readonly tool: IndexedTool;
  readonly byWish: readonly number[];
}

export const matchedRows = (
  index: IndexData,
  { stems, relatedStems }: ParsedQuery,
): readonly MatchedRow[] => {
  const found: MatchedRow[] = [];
  const add = (term: number, asked: QueryTerm): void => {
    const row = index.rows[term] as TermRow;
    if (row.live > 0) found.push({ term, row, asked, weight: asked.strength * termWeightOf(index, term) });
  };
  for (const [stem, asked] of stems) {
    const term = index.byStem.get(stem);
    if (term !== undefined) add(term, asked);
  }
  for (const [place, asked] of relatedStems) {
    const term = index.byPlace[place] as number;
    if (term >= 0) add(term, asked);
  }
  return found.sort((a, b) => b.weight - a.weight);
};

/** Limits the row entries that are read for one intent. The heaviest row is always read completely. */
const maxRowsRead = { always: 6_000, perTool: 0.2 } as const;

export const candidateFinder = (index: IndexData) => {
  /** By intent and tool; zero between queries. */
  const spaces: Float32Array[] = [];
  const spaceFor = (wish: number): Float32Array => {
    const size = index.tools.length;
    const space = spaces[wish];
    if (space !== undefined && space.length >= size) return space;
    spaces[wish] = new Float32Array(Math.ceil(size * 1.5) + 16);
    return spaces[wish];
  };
  return (
    found: readonly MatchedRow[],
    wishes: number,
    perWish: number,
    isAllowed: IsAllowed | undefined,
  ): readonly Candidate[] => {
    const { tools, removed: gone } = index;
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
      // Also if `isAllowed` throws.
      for (const sums of used) sums.fill(0, 0, tools.length);
    }
  };
};

interface ScannedRow {
  readonly tools: Int32Array;
  readonly count: number;
  readonly weight: number;
}

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
 * Calls `isIn` only for tools that would be selected. Stops when the remaining rows can lift no new tool. A
 * visited sum is negated.
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

const ranksBefore = (sum: number, number: number, otherSum: number, other: number): boolean =>
  sum > otherSum || (sum === otherSum && number < other);
