import type { Text } from "@api/shared.ts";
import { type ReactNode, useMemo, useState } from "react";
import { getText } from "../api/api-request.ts";
import { markUnseen, splitInvisible } from "./invisible-characters.ts";
import { formatCount } from "./time.tsx";

const maxShownLength = 1_200;
const maxShownLines = 24;
/** Rendered in chunks, so that the page stays responsive. */
const chunkLength = 50_000;

interface ForeignTextProps {
  readonly text: string | Text;
  readonly isLine?: boolean;
  /** Ignored for long texts. */
  readonly isInline?: boolean;
  readonly isCode?: boolean;
  readonly className?: string;
}

/** Untrusted text, without markup. Invisible characters are shown by name. */
export const ForeignText = ({
  text,
  isLine = false,
  isInline = false,
  isCode = false,
  className = "",
}: ForeignTextProps) => {
  const given = typeof text === "string" ? { text } : text;
  const style = `${isCode ? "code" : ""} ${className}`;
  if (isLine) {
    return (
      <bdi className={`block truncate ${style}`} title={markUnseen(given.text)}>
        <MarkedText text={given.text.slice(0, 300)} isLine />
      </bdi>
    );
  }
  if (isInline && given.isTruncated !== true && given.text.length <= maxShownLength) {
    return (
      <bdi className={`break-words whitespace-pre-wrap ${style}`}>
        <MarkedText text={given.text} />
      </bdi>
    );
  }
  return <FoldableText given={given} className={style} />;
};

const FoldableText = ({ given, className }: { readonly given: Text; readonly className: string }) => {
  const [whole, setWhole] = useState<string>();
  const [shown, setShown] = useState(0);
  const [trouble, setTrouble] = useState<string>();
  const text = whole ?? given.text;
  const short = shownBeginning(text);
  const visible = shown === 0 ? short : text.slice(0, shown);
  const rest = text.length - visible.length;
  const fetchWhole = (): void => {
    getText(given.href!).then(
      (answer) => {
        setWhole(answer);
        setShown(chunkLength);
      },
      (error: unknown) => setTrouble(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <span className={`block min-w-0 ${className}`}>
      <bdi className="block overflow-hidden break-words whitespace-pre-wrap">
        <MarkedText text={visible} />
        {rest > 0 && "…"}
      </bdi>
      {rest > 0 && (
        <FoldButton onClick={() => setShown(Math.max(shown, short.length) + chunkLength)}>
          Show more ({formatCount(rest)} characters)
        </FoldButton>
      )}
      {shown > 0 && text.length > short.length && (
        <FoldButton onClick={() => setShown(0)}>Show less</FoldButton>
      )}
      {rest === 0 && whole === undefined && given.isTruncated && given.href !== undefined && (
        <FoldButton onClick={fetchWhole}>
          Load full text ({formatCount(given.length ?? 0)} characters)
        </FoldButton>
      )}
      {given.isTruncated && given.href === undefined && (
        <span className="mt-1 block text-xs text-soft">
          The ledger stores only the beginning of this text.
        </span>
      )}
      {trouble !== undefined && <span className="mt-1 block text-xs text-bad">{markUnseen(trouble)}</span>}
    </span>
  );
};

const FoldButton = ({
  onClick,
  children,
}: {
  readonly onClick: () => void;
  readonly children: ReactNode;
}) => (
  <button type="button" className="link-button mr-3 font-sans" onClick={onClick}>
    {children}
  </button>
);

const MarkedText = ({ text, isLine = false }: { readonly text: string; readonly isLine?: boolean }) => {
  const parts = useMemo(() => splitInvisible(text, isLine), [text, isLine]);
  return parts.map((part, index) =>
    part.name === undefined ? (
      part.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      <span key={index} className="unseen" title={part.about}>
        {part.name}
      </span>
    ),
  );
};

const shownBeginning = (text: string): string => {
  let end = 0;
  for (let line = 0; line < maxShownLines; line += 1) {
    const next = text.indexOf("\n", end);
    if (next === -1) {
      end = text.length;
      break;
    }
    end = next + 1;
  }
  return text.slice(0, Math.min(end, maxShownLength + 200 >= text.length ? text.length : maxShownLength));
};
