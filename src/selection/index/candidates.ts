import type { ToolSpec } from "../../words/spec.ts";
import type { AskedTerm } from "./question.ts";
import { type Stored, type StoredTool, type TermRow, weightOf } from "./stored.ts";

export type IsAllowed = (key: string, spec: ToolSpec) => boolean;

/** A term of the question that some tool has. */
export interface FoundRow {
  readonly row: TermRow;
  readonly asked: AskedTerm;
  readonly weight: number;
}

/** How many entries of term rows one question may read, however many tools there are. */
const mostRead = 120_000;

/** Sums over all tools, kept from question to question: zero wherever none is under way. */
export interface SumSpace {
  sums: Float32Array;
  touched: Int32Array;
}

export const emptySpace = (): SumSpace => ({ sums: new Float32Array(0), touched: new Int32Array(0) });

/** The tools that share the weightiest words with each wish: so many for each, in no order. */
export const findCandidates = (
  stored: Stored,
  found: readonly FoundRow[],
  wishes: number,
  perWish: number,
  space: SumSpace,
  isAllowed: IsAllowed | undefined,
): readonly StoredTool[] => {
  const { tools } = stored;
  if (space.sums.length < tools.length) {
    space.sums = new Float32Array(tools.length * 2);
    space.touched = new Int32Array(tools.length * 2);
  }
  const weightiest = found.toSorted((a, b) => b.weight - a.weight);
  const chosen = new Set<StoredTool>();
  for (let wish = 0; wish < wishes; wish++) {
    const count = addUp(weightiest, 1 << wish, Math.ceil(mostRead / wishes), space);
    const best = bestOf(space, count, perWish, (number) => {
      const tool = tools[number] as StoredTool;
      return !tool.isGone && (isAllowed === undefined || isAllowed(tool.key, tool.spec));
    });
    for (const number of best) chosen.add(tools[number] as StoredTool);
    for (let at = 0; at < count; at++) space.sums[space.touched[at] as number] = 0;
  }
  return [...chosen];
};

/** The weightiest words first, until enough has been read: what is left over says least. */
const addUp = (found: readonly FoundRow[], bit: number, most: number, { sums, touched }: SumSpace): number => {
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
  return count;
};

/** Of many, the best few; whether one may be among them is asked only of those that would be. */
const bestOf = (
  { sums, touched }: SumSpace,
  count: number,
  most: number,
  isIn: (number: number) => boolean,
): readonly number[] => {
  const best: number[] = [];
  if (most > 256) {
    const all = Array.from(touched.subarray(0, count)).sort(
      (a, b) => (sums[b] as number) - (sums[a] as number) || a - b,
    );
    for (const number of all) if (best.length < most && isIn(number)) best.push(number);
    return best;
  }
  let least = 0;
  for (let at = 0; at < count; at++) {
    const number = touched[at] as number;
    const sum = sums[number] as number;
    if (best.length === most && sum <= least) continue;
    if (!isIn(number)) continue;
    if (best.length === most) best.pop();
    let place = best.length;
    while (place > 0 && (sums[best[place - 1] as number] as number) < sum) place--;
    best.splice(place, 0, number);
    least = sums[best.at(-1) as number] as number;
  }
  return best;
};

export const foundRows = (stored: Stored, asked: readonly AskedTerm[]): readonly FoundRow[] => {
  const found: FoundRow[] = [];
  for (const one of asked) {
    const number = stored.byStem.get(one.stem);
    const row = number === undefined ? undefined : stored.rows[number];
    if (row === undefined || row.live === 0) continue;
    found.push({ row, asked: one, weight: one.strength * weightOf(stored, row) });
  }
  return found;
};
