import { useState } from "react";
import { lineDiff } from "../../src/base/text/line-diff.ts";
import { ForeignText } from "./foreign-text.tsx";
import { markUnseen } from "./invisible-characters.ts";

interface DiffLine {
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

type DiffPair = readonly [DiffLine | undefined, DiffLine | undefined];

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

const lineClasses: Readonly<Record<DiffLine["kind"], string>> = {
  same: "",
  removed: "bg-bad-wash",
  added: "bg-good-wash",
};
const lineSigns: Readonly<Record<DiffLine["kind"], readonly [string, string]>> = {
  same: [" ", ""],
  removed: ["-", "removed: "],
  added: ["+", "added: "],
};

export const DiffView = ({
  lines,
  names = ["Before", "Now"],
}: {
  readonly lines: readonly DiffLine[];
  readonly names?: readonly [string, string];
}) => {
  const [isSideBySide, setSideBySide] = useState(false);
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <div className="flex items-center gap-3 border-b border-line bg-sunken px-2 py-1 text-xs text-soft">
        <span>
          {markUnseen(names[0])} → {markUnseen(names[1])}
        </span>
        <button
          type="button"
          className="link-button ml-auto max-sm:hidden"
          aria-pressed={isSideBySide}
          onClick={() => setSideBySide(!isSideBySide)}
        >
          {isSideBySide ? "Line by line" : "Side by side"}
        </button>
      </div>
      {isSideBySide ? (
        <div className="grid grid-cols-2 divide-x divide-line code">
          {toPairs(lines).map(([was, now], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <div key={index} className="contents">
              <DiffLineView line={was} />
              <DiffLineView line={now} />
            </div>
          ))}
        </div>
      ) : (
        <div className="code">
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <DiffLineView key={index} line={line} />
          ))}
        </div>
      )}
    </div>
  );
};

const DiffLineView = ({ line }: { readonly line: DiffLine | undefined }) => {
  if (line === undefined) return <div className="bg-sunken" />;
  const [sign, label] = lineSigns[line.kind];
  return (
    <div className={`flex min-w-0 gap-2 px-2 ${lineClasses[line.kind]}`}>
      <span aria-hidden className="w-2 shrink-0 text-soft select-none">
        {sign}
      </span>
      {label !== "" && <span className="sr-only">{label}</span>}
      <ForeignText text={line.text} className="grow" />
    </div>
  );
};
