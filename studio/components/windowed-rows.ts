export interface WindowedRows<Row> {
  readonly rows: readonly Row[];
  /** Rows before the window. */
  readonly before: number;
  /** Rows that the list must scroll by to stay in place. */
  readonly moved: number;
}

/** Browsers limit element heights. */
const maxRowsBefore = 200_000;
const rowsBeforeAfterReset = 100_000;

export const initialRows = <Row>(rows: readonly Row[]): WindowedRows<Row> => ({ rows, before: 0, moved: 0 });

/** Remaining rows keep their position. */
export const updateRows = <Row>(
  was: WindowedRows<Row>,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): WindowedRows<Row> => {
  const [first] = rows;
  const [firstWas] = was.rows;
  if (first === undefined || firstWas === undefined) return initialRows(rows);
  const removedCount = was.rows.findIndex((row) => idOf(row) === idOf(first));
  const addedCount = removedCount === -1 ? rows.findIndex((row) => idOf(row) === idOf(firstWas)) : 0;
  if (removedCount === -1 && addedCount === -1) return initialRows(rows);
  const before = was.before + Math.max(0, removedCount) - addedCount;
  if (before < 0) return { rows, before: 0, moved: was.moved - before };
  if (before <= maxRowsBefore) return { rows, before, moved: was.moved };
  return { rows, before: rowsBeforeAfterReset, moved: was.moved - (before - rowsBeforeAfterReset) };
};
