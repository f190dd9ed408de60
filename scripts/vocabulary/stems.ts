import { stem } from "../../src/registry/selection/terms.ts";
import { addRow, emptyMatrix, type Matrix, rowOf, unitRows } from "./matrix.ts";

export interface Stem {
  readonly text: string;
  /** The most common word with this stem. */
  readonly word: string;
  /** Positions of its words in the list, most common first. */
  readonly ranks: readonly number[];
}

/** The first `count` stems of a list of words by frequency. Only words with at least two letters count. */
export const toStems = (words: readonly string[], count: number): readonly Stem[] => {
  const ranks = new Map<string, number[]>();
  for (const [rank, word] of words.entries()) {
    if (!/^[a-z]{2,}$/.test(word)) continue;
    const text = stem(word);
    const known = ranks.get(text);
    if (known === undefined) ranks.set(text, [rank]);
    else known.push(rank);
  }
  return [...ranks].slice(0, count).map(([text, its]) => ({ text, word: words[its[0]!]!, ranks: its }));
};

/** The frequency of a word of this rank by the Zipf-Mandelbrot law; the first has rank 0. */
const shareOf = (rank: number): number => 1 / ((rank + 2.7) * 12.5);

/** The negative logarithm of a stem's frequency, at most 13. */
export const rarityOf = ({ ranks }: Stem): number =>
  Math.min(13, -Math.log(ranks.reduce((sum, rank) => sum + shareOf(rank), 0)));

/** The mean direction of the words of each stem, weighted by frequency. */
export const stemVectors = (stems: readonly Stem[], wordVectors: Matrix): Matrix => {
  const sums = emptyMatrix(stems.length, wordVectors.columns);
  for (const [at, { ranks }] of stems.entries())
    for (const rank of ranks) addRow(rowOf(sums, at), rowOf(wordVectors, rank), shareOf(rank));
  return unitRows(sums);
};
