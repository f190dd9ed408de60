export interface DiffLine {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** Larger texts are shown as one that went and one that came: the table would have too many cells. */
const mostCells = 1_000_000;

/** Which lines went and which came, by the longest run of lines that both have. */
export const diffLines = (was: string, now: string): readonly DiffLine[] => {
  const before = was.split("\n");
  const after = now.split("\n");
  if (before.length * after.length > mostCells) {
    return [
      ...before.map((text): DiffLine => ({ kind: "gone", text })),
      ...after.map((text): DiffLine => ({ kind: "new", text })),
    ];
  }
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: "same", text: before[i]! });
      i += 1;
      j += 1;
    } else if (
      j >= after.length ||
      (i < before.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      lines.push({ kind: "gone", text: before[i]! });
      i += 1;
    } else {
      lines.push({ kind: "new", text: after[j]! });
      j += 1;
    }
  }
  return lines;
};

/** Lines of which each begins with `-`, `+` or a space, as the API gives them. */
export const readDiff = (diff: string): readonly DiffLine[] =>
  diff.split("\n").map((line) => ({
    kind: line.startsWith("-") ? "gone" : line.startsWith("+") ? "new" : "same",
    text: line.slice(1),
  }));

export type DiffPair = readonly [DiffLine | undefined, DiffLine | undefined];

/** The same beside each other: lines that went stand left of those that came instead. */
export const toPairs = (lines: readonly DiffLine[]): readonly DiffPair[] => {
  const pairs: DiffPair[] = [];
  let gone: DiffLine[] = [];
  let came: DiffLine[] = [];
  const put = (): void => {
    for (let at = 0; at < Math.max(gone.length, came.length); at += 1) pairs.push([gone[at], came[at]]);
    [gone, came] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "gone") gone.push(line);
    else if (line.kind === "new") came.push(line);
    else {
      put();
      pairs.push([line, line]);
    }
  }
  put();
  return pairs;
};
