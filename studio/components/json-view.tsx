import type { Text } from "@words/shared.ts";
import { type KeyboardEvent, useMemo, useState } from "react";
import { Copy } from "./copy.tsx";
import { ForeignText } from "./foreign-text.tsx";

const mostChildren = 100;

/** A text that is JSON as a tree, any other as it is. */
export const JsonText = ({ text }: { readonly text: Text }) => {
  const value = useMemo(() => (text.cut ? undefined : parsed(text.text)), [text]);
  if (value === undefined || typeof value !== "object" || value === null) {
    return (
      <div className="relative rounded-md bg-sunken p-2 pr-9">
        <ForeignText text={text} isCode />
        <CopyCorner text={text.text} />
      </div>
    );
  }
  return <JsonView value={value} />;
};

export const JsonView = ({ value }: { readonly value: unknown }) => (
  <div className="relative overflow-x-auto rounded-md bg-sunken p-2 pr-9 code">
    <Node value={value} depth={0} />
    <CopyCorner text={JSON.stringify(value, null, 2) ?? ""} />
  </div>
);

const CopyCorner = ({ text }: { readonly text: string }) => (
  <div className="absolute top-1 right-1">
    <Copy text={text} />
  </div>
);

const Node = ({
  name,
  value,
  depth,
}: {
  readonly name?: string;
  readonly value: unknown;
  readonly depth: number;
}) => {
  const isList = Array.isArray(value);
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : undefined;
  const [isOpen, setOpen] = useState(depth < 2 && (entries?.length ?? 0) <= 40);
  const [most, setMost] = useState(mostChildren);
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
        {typeof value === "string" ? (
          <ForeignText text={JSON.stringify(value)} isInline className="text-good" />
        ) : (
          <span className="text-wait">{String(value)}</span>
        )}
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
        className="min-h-[24px] max-w-full text-left hover:bg-hover"
      >
        <span aria-hidden className="inline-block w-4 text-soft">
          {isOpen ? "▾" : "▸"}
        </span>
        {label}
        {begin}
        {!isOpen && (
          <span className="text-soft">
            {" "}
            {entries.length} {isList ? "item" : "field"}
            {entries.length === 1 ? "" : "s"} {end}
          </span>
        )}
      </button>
      {isOpen && (
        <>
          <div className="ml-[0.45rem] border-l border-line pl-2">
            {entries.slice(0, most).map(([key, child]) => (
              <Node key={key} {...(isList ? {} : { name: key })} value={child} depth={depth + 1} />
            ))}
            {entries.length > most && (
              <button type="button" className="link ml-4 font-sans" onClick={() => setMost(most + 500)}>
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

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
