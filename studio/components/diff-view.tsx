import { useState } from "react";
import { type DiffLine, toPairs } from "./diff-lines.ts";
import { ForeignText } from "./foreign-text.tsx";
import { markUnseen } from "./invisible-characters.ts";

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
