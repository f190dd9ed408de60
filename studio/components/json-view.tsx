import type { Text } from "@api/shared.ts";
import { type KeyboardEvent, useMemo, useState } from "react";
import { CopyButton } from "./copy-button.tsx";
import { ForeignText } from "./foreign-text.tsx";
import { markUnseen } from "./invisible-characters.ts";
import { formatNumberOf } from "./time.tsx";

const maxChildrenShown = 100;
/** Smaller values are fully expanded. */
const expandAllLimit = 40;

export const JsonText = ({ text }: { readonly text: Text }) => {
  const value = useMemo(() => (text.isTruncated ? undefined : parseOrUndefined(text.text)), [text]);
  if (value === undefined || typeof value !== "object" || value === null) {
    return (
      <div className="relative rounded-md bg-sunken p-2 pr-9">
        <ForeignText text={text} isCode />
        <CopyCornerButton text={text.text} />
      </div>
    );
  }
  return <JsonView value={value} />;
};

export const JsonView = ({ value }: { readonly value: unknown }) => (
  <div className="relative overflow-x-auto rounded-md bg-sunken p-2 pr-9 code">
    <JsonNode value={value} depth={0} isSmall={countParts(value) <= expandAllLimit} />
    <CopyCornerButton text={JSON.stringify(value, null, 2) ?? ""} />
  </div>
);

const CopyCornerButton = ({ text }: { readonly text: string }) => (
  <div className="absolute top-1 right-1">
    <CopyButton text={text} />
  </div>
);

const JsonNode = ({
  name,
  value,
  depth,
  isSmall,
}: {
  readonly name?: string;
  readonly value: unknown;
  readonly depth: number;
  readonly isSmall: boolean;
}) => {
  const isList = Array.isArray(value);
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : undefined;
  const [isOpen, setOpen] = useState(isSmall || (depth < 2 && (entries?.length ?? 0) <= expandAllLimit));
  const [most, setMost] = useState(maxChildrenShown);
  const label = name !== undefined && (
    <>
      <ForeignText text={name} isInline className="text-accent" />
      <span className="text-soft">: </span>
    </>
  );
  if (entries === undefined) {
    return (
      <div className="pl-4">
        {label}
        <JsonLeaf value={value} />
      </div>
    );
  }
  if (depth > 0 && fitsInline(value, entries)) {
    return (
      <div className="pl-4">
        {label}
        <InlineJson entries={entries} isList={isList} />
      </div>
    );
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === "ArrowRight") setOpen(true);
    if (event.key === "ArrowLeft") setOpen(false);
  };
  const [begin, end] = isList ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div className="pl-4">
        {label}
        {begin}
        {end}
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={press}
        className="min-h-7 max-w-full text-left hover:bg-hover"
      >
        <span aria-hidden className="inline-block w-4 text-soft">
          {isOpen ? "▾" : "▸"}
        </span>
        {label}
        {begin}
        {!isOpen && (
          <span className="text-soft">
            {" "}
            {formatNumberOf(entries.length, isList ? "item" : "field")} {end}
          </span>
        )}
      </button>
      {isOpen && (
        <>
          <div className="ml-[0.45rem] border-l border-line pl-2">
            {entries.slice(0, most).map(([key, child]) => (
              <JsonNode
                key={key}
                {...(isList ? {} : { name: key })}
                value={child}
                depth={depth + 1}
                isSmall={isSmall}
              />
            ))}
            {entries.length > most && (
              <button
                type="button"
                className="link-button ml-4 font-sans"
                onClick={() => setMost(most + 500)}
              >
                Show {Math.min(500, entries.length - most)} more of {entries.length}
              </button>
            )}
          </div>
          <div className="pl-4">{end}</div>
        </>
      )}
    </div>
  );
};

const JsonLeaf = ({ value }: { readonly value: unknown }) =>
  typeof value === "string" ? (
    <ForeignText text={JSON.stringify(value)} isInline className="text-good" />
  ) : (
    <span className="text-wait">{markUnseen(String(value))}</span>
  );

const InlineJson = ({
  entries,
  isList,
}: {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly isList: boolean;
}) => (
  <>
    {isList ? "[" : "{ "}
    {entries.map(([key, child], index) => (
      <span key={key}>
        {index > 0 && ", "}
        {!isList && (
          <>
            <ForeignText text={key} isInline className="text-accent" />
            <span className="text-soft">: </span>
          </>
        )}
        <JsonLeaf value={child} />
      </span>
    ))}
    {isList ? "]" : " }"}
  </>
);

const fitsInline = (value: unknown, entries: readonly (readonly [string, unknown])[]): boolean =>
  entries.length <= 4 &&
  entries.every(([, child]) => typeof child !== "object" || child === null) &&
  JSON.stringify(value).length <= 60;

const countParts = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce(
        (sum: number, child) => (sum > expandAllLimit ? sum : sum + countParts(child)),
        Object.keys(value).length,
      )
    : 0;

const parseOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
