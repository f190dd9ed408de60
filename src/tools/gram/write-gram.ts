import type { GramDocument } from "./document.ts";
import { commentsAfter, commentsBefore, commentsInside } from "./write/comments.ts";
import { concat, type Doc, hardLine, renderDoc } from "./write/doc.ts";
import { writeItem, writeProperties } from "./write/write-item.ts";
import type { WriteStyle } from "./write/write-value.ts";

/** Options of `writeGram`. */
export interface WriteGramOptions {
  /** Breaks lines wider than `width` and those with fenced texts. Without it, each item is on one line. */
  readonly pretty?: boolean;
  /** The line width when pretty; 100 by default. */
  readonly width?: number;
}

/**
 * Writes text that `readGram` reads back as the same document, comments included. Order and the choice of `:`
 * or `::` are kept; quotes, spaces and empty records are normalized. Throws if a generated document is not
 * expressible.
 */
export const writeGram = (document: GramDocument, options: WriteGramOptions = {}): string => {
  const pretty = options.pretty === true;
  const width = pretty ? (options.width ?? 100) : Number.POSITIVE_INFINITY;
  const style: WriteStyle = { breakAtFence: pretty };
  const chunks: string[] = [];
  const add = (docs: readonly Doc[]): void => {
    const written = renderDoc(concat(docs), width);
    chunks.push(chunks.length === 0 ? written.trimStart() : written);
  };
  const { header, items, comments } = document;
  if (header !== undefined) {
    const record = writeProperties(header.properties, commentsInside(header.comments), style);
    add([...commentsBefore(header.comments), record, ...commentsAfter(header.comments), hardLine]);
  }
  for (const item of items) {
    const gap = item.apart === true ? [hardLine] : [];
    add([
      ...commentsBefore(item.comments),
      ...gap,
      writeItem(item, style),
      ...commentsAfter(item.comments),
      hardLine,
    ]);
  }
  if (comments !== undefined) add(commentsBefore({ before: comments }));
  return chunks.join("");
};
