export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

const maxComparedPairs = 1_000_000;

const toDiffLines = (sign: DiffLine["sign"], texts: readonly string[]): readonly DiffLine[] =>
  texts.map((text) => ({ sign, text }));

/** Longest common subsequences of the remaining lines. */
const lengthsOf = (was: readonly string[], now: readonly string[]): readonly Uint32Array[] => {
  const rows = Array.from({ length: was.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let left = was.length - 1; left >= 0; left--)
    for (let right = now.length - 1; right >= 0; right--)
      rows[left]![right] =
        was[left] === now[right]
          ? rows[left + 1]![right + 1]! + 1
          : Math.max(rows[left + 1]![right]!, rows[left]![right + 1]!);
  return rows;
};

const diffMiddle = (was: readonly string[], now: readonly string[]): readonly DiffLine[] => {
  if (was.length * now.length > maxComparedPairs) return [...toDiffLines("-", was), ...toDiffLines("+", now)];
  const rows = lengthsOf(was, now);
  const found: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < was.length && right < now.length) {
    if (was[left] === now[right]) {
      found.push({ sign: " ", text: was[left]! });
      left++;
      right++;
    } else if (rows[left + 1]![right]! >= rows[left]![right + 1]!)
      found.push({ sign: "-", text: was[left++]! });
    else found.push({ sign: "+", text: now[right++]! });
  }
  return [...found, ...toDiffLines("-", was.slice(left)), ...toDiffLines("+", now.slice(right))];
};

export const lineDiff = (was: readonly string[], now: readonly string[]): readonly DiffLine[] => {
  const shorter = Math.min(was.length, now.length);
  let start = 0;
  while (start < shorter && was[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && was[was.length - 1 - end] === now[now.length - 1 - end]) end++;
  return [
    ...toDiffLines(" ", was.slice(0, start)),
    ...diffMiddle(was.slice(start, was.length - end), now.slice(start, now.length - end)),
    ...toDiffLines(" ", was.slice(was.length - end)),
  ];
};

const linesOf = (text: string | undefined): readonly string[] => text?.split("\n") ?? [];

export const textDiff = (was: string | undefined, now: string | undefined): string =>
  was === now
    ? ""
    : lineDiff(linesOf(was), linesOf(now))
        .map(({ sign, text }) => `${sign} ${text}`)
        .join("\n");

/** `undefined` marks omitted lines. */
export const hunks = (diff: readonly DiffLine[], around = 2): readonly (DiffLine | undefined)[] => {
  const kept = diff.map((_, at) =>
    diff.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== " "),
  );
  return diff.flatMap((line, at): readonly (DiffLine | undefined)[] => {
    if (kept[at]) return [line];
    return at === 0 || kept[at - 1] ? [undefined] : [];
  });
};
