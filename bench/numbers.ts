export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export const spread = (samples: readonly number[]): Spread => {
  if (samples.length === 0) throw new Error("nothing was measured");
  const sorted = samples.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
};

/** Rounds to three significant digits. */
export const round = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

export const withRange = ({ median, min, max }: Spread): string =>
  `${round(median)} (${round(min)}–${round(max)})`;

/** First column left-aligned, the others right-aligned. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
  return lines.join("\n");
};
