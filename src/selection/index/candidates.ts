import type { ToolSpec } from "../../words/spec.ts";
import type { AskedTerm, Question } from "./question.ts";
import { type Stored, type StoredTool, type TermRow, weightOf } from "./stored.ts";

export type IsAllowed = (key: string, spec: ToolSpec) => boolean;

/** A term of the question, or one of like meaning, that some tool has. */
export interface FoundRow {
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
  const add = (number: number | undefined, asked: AskedTerm): void => {
    const row = number === undefined ? undefined : stored.rows[number];
    if (row === undefined || row.live === 0) return;
    found.push({ row, asked, weight: asked.strength * weightOf(stored, row) });
  };
  for (const [stem, asked] of stems) add(stored.byStem.get(stem), asked);
  for (const [place, asked] of meant) {
    const number = stored.byPlace[place] as number;
    if (number >= 0) add(number, asked);
  }
  return found.sort((a, b) => b.weight - a.weight);
};

/** How many entries of term rows one question may read, however many tools there are. */
const mostRead = 120_000;

/** Sums over all tools for one wish: zero wherever no question is under way. */
interface WishSums {
  sums: Float32Array;
  touched: Int32Array;
  count: number;
}

/** Finds the tools that share the weightiest words with each wish. Its sums are kept from question to question. */
export const candidateFinder = (stored: Stored) => {
  const spaces: WishSums[] = [];
  const spaceFor = (wish: number): WishSums => {
    const size = stored.tools.length;
    const space = spaces[wish];
    if (space !== undefined && space.sums.length >= size) return space;
    const room = Math.ceil(size * 1.5) + 16;
    spaces[wish] = { sums: new Float32Array(room), touched: new Int32Array(room), count: 0 };
    return spaces[wish];
  };
  /** So many for each wish, in no order. */
  return (
    found: readonly FoundRow[],
    wishes: number,
    perWish: number,
    isAllowed: IsAllowed | undefined,
  ): readonly Candidate[] => {
    const { tools } = stored;
    const isIn = (number: number): boolean => {
      const tool = tools[number] as StoredTool;
      return !tool.isGone && (isAllowed === undefined || isAllowed(tool.key, tool.spec));
    };
    const used = Array.from({ length: wishes }, (_, wish) => spaceFor(wish));
    const chosen = new Set<number>();
    for (const [wish, space] of used.entries()) {
      addUp(found, 1 << wish, Math.ceil(mostRead / wishes), space);
      for (const number of bestOf(space, perWish, isIn)) chosen.add(number);
    }
    const candidates = Array.from(chosen, (number) => ({
      tool: tools[number] as StoredTool,
      byWish: used.map(({ sums }) => sums[number] as number),
    }));
    for (const { sums, touched, count } of used) {
      for (let at = 0; at < count; at++) sums[touched[at] as number] = 0;
    }
    return candidates;
  };
};

/** The weightiest words first, until enough has been read: what is left over says least. */
const addUp = (found: readonly FoundRow[], bit: number, most: number, space: WishSums): void => {
  const { sums, touched } = space;
  let left = most;
  let count = 0;
  for (const { row, asked, weight } of found) {
    if ((asked.wishes & bit) === 0 || (row.count > left && count > 0)) continue;
    const { tools, weights } = row;
    const end = Math.min(row.count, left);
    left -= end;
    for (let at = 0; at < end; at++) {
      const number = tools[at] as number;
      const sum = sums[number] as number;
      if (sum === 0) touched[count++] = number;
      sums[number] = sum + weight * (weights[at] as number);
    }
  }
  space.count = count;
};

/** Above this many, all are put in order at once. */
const fewest = 256;

/** Of many, the best few; whether one may be among them is asked only of those that would be. */
const bestOf = (
  { sums, touched, count }: WishSums,
  most: number,
  isIn: (number: number) => boolean,
): readonly number[] => {
  if (most > fewest) {
    const all = Array.from(touched.subarray(0, count)).sort(
      (a, b) => (sums[b] as number) - (sums[a] as number) || a - b,
    );
    return all.filter(isIn).slice(0, most);
  }
  const best: number[] = [];
  let least = 0;
  for (let at = 0; at < count; at++) {
    const number = touched[at] as number;
    const sum = sums[number] as number;
    if ((best.length === most && sum <= least) || !isIn(number)) continue;
    let place = best.length === most ? most - 1 : best.length;
    for (; place > 0 && (sums[best[place - 1] as number] as number) < sum; place--) {
      best[place] = best[place - 1] as number;
    }
    best[place] = number;
    least = sums[best.at(-1) as number] as number;
  }
  return best;
};
