import { lineDiff } from "../../src/base/text/line-diff.ts";

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

const lineKinds = { " ": "same", "-": "removed", "+": "added" } as const;

export const diffLines = (was: string, now: string): readonly DiffLine[] =>
  lineDiff(was.split("\n"), now.split("\n")).map(({ sign, text }) => ({ kind: lineKinds[sign], text }));

/** Lines start with `-`, `+` or a space, followed by a space. */
export const readDiff = (diff: string): readonly DiffLine[] =>
  diff
    .split("\n")
    .map((line) => ({ kind: lineKinds[line[0] as keyof typeof lineKinds] ?? "same", text: line.slice(2) }));

export type DiffPair = readonly [DiffLine | undefined, DiffLine | undefined];

export const toPairs = (lines: readonly DiffLine[]): readonly DiffPair[] => {
  const pairs: DiffPair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const put = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      pairs.push([removed[at], added[at]]);
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      put();
      pairs.push([line, line]);
    }
  }
  put();
  return pairs;
};
