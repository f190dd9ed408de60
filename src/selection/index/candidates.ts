import type { ToolSpec } from "../../words/spec.ts";
import type { AskedTerm, Question } from "./question.ts";
import { type Stored, type StoredTool, type TermRow, worthOf } from "./stored.ts";

export type IsAllowed = (key: string, spec: ToolSpec) => boolean;

/** A term of the question, or one of like meaning, that some tool has. */
export interface FoundRow {
  readonly term: number;
  readonly row: TermRow;
  readonly asked: AskedTerm;
  readonly weight: number;
}

/** A tool that shares words with the question, and the weight of those that it shares with each wish. */
export interface Candidate {
  readonly tool: StoredTool;
  readonly byWish: readonly number[];
}

/** Weightiest first. */
export const foundRows = (stored: Stored, { stems, meant }: Question): readonly FoundRow[] => {
  const found: FoundRow[] = [];
  const add = (term: number, asked: AskedTerm): void => {
    const row = stored.rows[term] as TermRow;
    if (row.live > 0) found.push({ term, row, asked, weight: asked.strength * worthOf(stored, term) });
  };
  for (const [stem, asked] of stems) {
    const term = stored.byStem.get(stem);
    if (term !== undefined) add(term, asked);
  }
  for (const [place, asked] of meant) {
    const term = stored.byPlace[place] as number;
    if (term >= 0) add(term, asked);
  }
  return found.sort((a, b) => b.weight - a.weight);
};

/** How many entries of term rows one question may read: so many, and so many more for each tool there is. */
const mostRead = { always: 5_000, perTool: 0.3 } as const;

/** Finds the tools that share the weightiest words with each wish. Its sums are kept from question to question. */
export const candidateFinder = (stored: Stored) => {
  /** For each wish a sum for each tool: zero wherever no question is under way. */
  const spaces: Float32Array[] = [];
  const spaceFor = (wish: number): Float32Array => {
    const size = stored.tools.length;
    const space = spaces[wish];
    if (space !== undefined && space.length >= size) return space;
    spaces[wish] = new Float32Array(Math.ceil(size * 1.5) + 16);
    return spaces[wish];
  };
  /** So many for each wish, in no order. */
  return (
    found: readonly FoundRow[],
    wishes: number,
    perWish: number,
    isAllowed: IsAllowed | undefined,
  ): readonly Candidate[] => {
    const { tools, gone } = stored;
    const isIn = (number: number): boolean => {
      if (gone[number] === 1) return false;
      if (isAllowed === undefined) return true;
      const { key, spec } = tools[number] as StoredTool;
      return isAllowed(key, spec);
    };
    const used = Array.from({ length: wishes }, (_, wish) => spaceFor(wish));
    const chosen = new Set<number>();
    const most = Math.ceil((mostRead.always + mostRead.perTool * tools.length) / wishes);
    for (const [wish, sums] of used.entries()) {
      addUp(found, 1 << wish, most, sums);
      for (const number of bestOf(sums, tools.length, perWish, isIn)) chosen.add(number);
    }
    const candidates = Array.from(chosen, (number) => ({
      tool: tools[number] as StoredTool,
      byWish: used.map((sums) => sums[number] as number),
    }));
    for (const sums of used) sums.fill(0, 0, tools.length);
    return candidates;
  };
};

/** The weightiest words first, until enough has been read: what is left over says least. */
const addUp = (found: readonly FoundRow[], bit: number, most: number, sums: Float32Array): void => {
  let left = most;
  for (const { row, asked, weight } of found) {
    if ((asked.wishes & bit) === 0 || (row.count > left && left < most)) continue;
    const { tools, weights } = row;
    const end = Math.min(row.count, left);
    left -= end;
    for (let at = 0; at < end; at++) {
      const number = tools[at] as number;
      sums[number] = (sums[number] as number) + weight * (weights[at] as number);
    }
  }
};

/** Above this many, all are put in order at once. */
const fewest = 256;

/** Of many, the best few; whether one may be among them is asked only of those that would be. */
const bestOf = (
  sums: Float32Array,
  count: number,
  most: number,
  isIn: (number: number) => boolean,
): readonly number[] => {
  if (most > fewest) {
    const all = Array.from({ length: count }, (_, number) => number).filter(
      (number) => (sums[number] as number) > 0,
    );
    all.sort((a, b) => (sums[b] as number) - (sums[a] as number) || a - b);
    return all.filter(isIn).slice(0, most);
  }
  const best = new Int32Array(most);
  const bestSums = new Float32Array(most);
  let full = 0;
  let least = 0;
  for (let number = 0; number < count; number++) {
    const sum = sums[number] as number;
    if (sum <= least || !isIn(number)) continue;
    let place = full === most ? most - 1 : full++;
    for (; place > 0 && (bestSums[place - 1] as number) < sum; place--) {
      best[place] = best[place - 1] as number;
      bestSums[place] = bestSums[place - 1] as number;
    }
    best[place] = number;
    bestSums[place] = sum;
    if (full === most) least = bestSums[most - 1] as number;
  }
  return Array.from(best.subarray(0, full));
};
