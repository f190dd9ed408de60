/** Rows of a long list, of which those far from where somebody looks are not here. */
export interface PlacedRows<Row> {
  readonly rows: readonly Row[];
  /** How many places stand before the first. */
  readonly before: number;
  /** By how many places everything has moved, so that nothing moves on the screen. */
  readonly moved: number;
}

/** Browsers lay out nothing that is higher than some thirty million pixels. */
const mostBefore = 200_000;
const keptBefore = 100_000;

export const firstRows = <Row>(rows: readonly Row[]): PlacedRows<Row> => ({ rows, before: 0, moved: 0 });

/** The same list after some rows came or went at its ends: a row that is still here stays in its place. */
export const placeRows = <Row>(
  was: PlacedRows<Row>,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): PlacedRows<Row> => {
  const [first] = rows;
  const [firstWas] = was.rows;
  if (first === undefined || firstWas === undefined) return firstRows(rows);
  const gone = was.rows.findIndex((row) => idOf(row) === idOf(first));
  const came = gone === -1 ? rows.findIndex((row) => idOf(row) === idOf(firstWas)) : 0;
  if (gone === -1 && came === -1) return firstRows(rows);
  const before = was.before + Math.max(0, gone) - came;
  if (before < 0) return { rows, before: 0, moved: was.moved - before };
  if (before <= mostBefore) return { rows, before, moved: was.moved };
  return { rows, before: keptBefore, moved: was.moved - (before - keptBefore) };
};
