import { addRow, dot, emptyMatrix, type Matrix, projectOnto, rowOf } from "./matrix.ts";

const maxRounds = 2_000;

/**
 * The first `count` principal components of the first `sample` rows, strongest first. The rows are centered
 * already. Found by orthogonal iteration from a fixed start, so that the result is deterministic.
 */
export const principalDirections = (matrix: Matrix, sample: number, count: number): Matrix => {
  const spread = covariance(matrix, Math.min(sample, matrix.rows));
  let directions = orthonormal(fixedStart(count, matrix.columns));
  let caught = 0;
  for (let round = 0; round < maxRounds; round++) {
    const turned = projectOnto(directions, spread);
    let now = 0;
    for (let way = 0; way < count; way++) now += dot(rowOf(turned, way), rowOf(directions, way));
    directions = orthonormal(turned);
    // The captured variance only grows. Once it stops growing, the remaining rotation does not matter.
    if (now - caught <= 1e-12 * now) break;
    caught = now;
  }
  return directions;
};

const covariance = (matrix: Matrix, sample: number): Matrix => {
  const { columns } = matrix;
  const spread = emptyMatrix(columns, columns);
  for (let at = 0; at < sample; at++) {
    const row = rowOf(matrix, at);
    for (let one = 0; one < columns; one++) addRow(rowOf(spread, one), row, row[one]! / sample);
  }
  return spread;
};

/** Pseudorandom numbers between -1 and 1, the same on every machine. */
const fixedStart = (rows: number, columns: number): Matrix => {
  const start = emptyMatrix(rows, columns);
  let state = 20_011;
  for (let at = 0; at < start.values.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    start.values[at] = state / 2 ** 31 - 1;
  }
  return start;
};

/** Gram-Schmidt, twice because the first pass leaves rounding errors. */
const orthonormal = (matrix: Matrix): Matrix => {
  const straight = { ...matrix, values: matrix.values.slice() };
  for (let at = 0; at < straight.rows; at++) {
    const row = rowOf(straight, at);
    for (let pass = 0; pass < 2; pass++)
      for (let before = 0; before < at; before++) {
        const earlier = rowOf(straight, before);
        addRow(row, earlier, -dot(row, earlier));
      }
    const length = Math.sqrt(dot(row, row));
    if (length > 0) for (let column = 0; column < row.length; column++) row[column]! /= length;
  }
  return straight;
};
