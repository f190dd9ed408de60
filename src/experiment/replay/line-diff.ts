/** Above this the middle is shown as all removed and all added: comparing every pair of lines would take too long. */
const mostPairs = 1_000_000;

/**
 * What makes one text of another, line by line: `-` is only in the first, `+` only in the second, two blanks in
 * both. Empty where nothing differs.
 */
export const lineDiff = (before: string, after: string): string => {
  if (before === after) return "";
  const [old, now] = [before.split("\n"), after.split("\n")];
  let top = 0;
  while (top < old.length && top < now.length && old[top] === now[top]) top++;
  let bottom = 0;
  const most = Math.min(old.length, now.length) - top;
  while (bottom < most && old[old.length - 1 - bottom] === now[now.length - 1 - bottom]) bottom++;
  return [
    ...old.slice(0, top).map(kept),
    ...middle(old.slice(top, old.length - bottom), now.slice(top, now.length - bottom)),
    ...old.slice(old.length - bottom).map(kept),
  ].join("\n");
};

const kept = (line: string): string => `  ${line}`;
const removed = (line: string): string => `- ${line}`;
const added = (line: string): string => `+ ${line}`;

/** Keeps as many lines as can be kept; of what must go, the old lines stand before the new ones. */
const middle = (old: readonly string[], now: readonly string[]): readonly string[] => {
  if (old.length * now.length > mostPairs) return [...old.map(removed), ...now.map(added)];
  const common = commonTails(old, now);
  const width = now.length + 1;
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      lines.push(kept(old[i++]!));
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) lines.push(removed(old[i++]!));
    else lines.push(added(now[j++]!));
  }
  return [...lines, ...old.slice(i).map(removed), ...now.slice(j).map(added)];
};

/** At `i * width + j`: how many lines the rests from `i` and from `j` have in common, in order. */
const commonTails = (old: readonly string[], now: readonly string[]): Uint32Array => {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  return common;
};
