/** A matrix with its rows one after another in `values`. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

export const emptyMatrix = (rows: number, columns: number): Matrix => ({
  rows,
  columns,
  values: new Float64Array(rows * columns),
});

export const toMatrix = (rows: readonly ArrayLike<number>[]): Matrix => {
  const matrix = emptyMatrix(rows.length, rows[0]?.length ?? 0);
  for (const [at, row] of rows.entries()) {
    if (row.length !== matrix.columns)
      throw new Error(`Row ${at} has ${row.length} numbers, but the first has ${matrix.columns}.`);
    matrix.values.set(row, at * matrix.columns);
  }
  return matrix;
};

/** A view, not a copy. */
export const rowOf = ({ columns, values }: Matrix, at: number): Float64Array =>
  values.subarray(at * columns, (at + 1) * columns);

export const dot = (left: Float64Array, right: Float64Array): number => {
  let sum = 0;
  for (let at = 0; at < left.length; at++) sum += left[at]! * right[at]!;
  return sum;
};

/** Adds `factor` times `row` to `target`. */
export const addRow = (target: Float64Array, row: Float64Array, factor: number): void => {
  for (let at = 0; at < target.length; at++) target[at]! += factor * row[at]!;
};

/** Subtracts the mean of the first `sample` rows. */
export const centerRows = (matrix: Matrix, sample: number): Matrix => {
  const mean = new Float64Array(matrix.columns);
  const counted = Math.min(sample, matrix.rows);
  for (let at = 0; at < counted; at++) addRow(mean, rowOf(matrix, at), 1 / counted);
  const moved = { ...matrix, values: matrix.values.slice() };
  for (let at = 0; at < moved.rows; at++) addRow(rowOf(moved, at), mean, -1);
  return moved;
};

/** Scales each row to length one. A row of zeros stays. */
export const unitRows = (matrix: Matrix): Matrix => {
  const unit = emptyMatrix(matrix.rows, matrix.columns);
  for (let at = 0; at < unit.rows; at++) {
    const row = rowOf(matrix, at);
    const length = Math.sqrt(dot(row, row));
    if (length > 0) addRow(rowOf(unit, at), row, 1 / length);
  }
  return unit;
};

/** Appends each row of the right matrix to that of the left. */
export const joinColumns = (left: Matrix, right: Matrix): Matrix => {
  const joined = emptyMatrix(left.rows, left.columns + right.columns);
  for (let at = 0; at < joined.rows; at++) {
    rowOf(joined, at).set(rowOf(left, at));
    rowOf(joined, at).set(rowOf(right, at), left.columns);
  }
  return joined;
};

/** Projects each row on the directions, which are rows of length one. */
export const projectOnto = (matrix: Matrix, directions: Matrix): Matrix => {
  const shorter = emptyMatrix(matrix.rows, directions.rows);
  for (let at = 0; at < matrix.rows; at++)
    for (let way = 0; way < directions.rows; way++)
      shorter.values[at * directions.rows + way] = dot(rowOf(matrix, at), rowOf(directions, way));
  return shorter;
};

/** Removes the components of each row along the orthogonal directions. */
export const removeDirections = (matrix: Matrix, directions: Matrix): Matrix => {
  const parts = projectOnto(matrix, directions);
  const rest = { ...matrix, values: matrix.values.slice() };
  for (let at = 0; at < matrix.rows; at++)
    for (const [way, part] of rowOf(parts, at).entries())
      addRow(rowOf(rest, at), rowOf(directions, way), -part);
  return rest;
};
