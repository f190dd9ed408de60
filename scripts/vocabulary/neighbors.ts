import { dot, type Matrix, rowOf } from "./matrix.ts";

/** For each row the `count` most similar rows, nearest first, concatenated. */
export interface Neighbors {
  readonly count: number;
  readonly ids: Uint16Array;
  /** The cosine of each. */
  readonly likeness: Float64Array;
}

/** Rows that stay in the processor's cache during the comparison. */
const block = 64;

/** The rows have length one; a row is not its own neighbor. Ties are in the order of the rows. */
export const nearest = (
  matrix: Matrix,
  count: number,
  onProgress: (done: number) => void = () => {},
): Neighbors => {
  const { rows } = matrix;
  if (rows <= count) throw new Error(`${rows} rows do not have ${count} neighbors each.`);
  if (rows > 2 ** 16) throw new Error(`${rows} rows are more than an id of two bytes can tell apart.`);
  const ids = new Uint16Array(rows * count);
  const likeness = new Float64Array(rows * count).fill(Number.NEGATIVE_INFINITY);

  /** Candidates come in the order of their ids, so ties stay behind. */
  const offer = (row: number, id: number, cosine: number): void => {
    const first = row * count;
    let place = first + count;
    while (place > first && cosine > likeness[place - 1]!) place--;
    if (place === first + count) return;
    likeness.copyWithin(place + 1, place, first + count - 1);
    ids.copyWithin(place + 1, place, first + count - 1);
    likeness[place] = cosine;
    ids[place] = id;
  };

  for (let top = 0; top < rows; top += block) {
    onProgress(top);
    for (let left = 0; left <= top; left += block)
      for (let row = top; row < Math.min(top + block, rows); row++)
        for (let other = left; other < Math.min(left + block, row); other++) {
          const cosine = dot(rowOf(matrix, row), rowOf(matrix, other));
          offer(row, other, cosine);
          offer(other, row, cosine);
        }
  }
  return { count, ids, likeness };
};
