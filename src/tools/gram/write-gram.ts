import type { GramDocument } from "./document.ts";
import { commentsAfter, commentsBefore, commentsInside } from "./write/comments.ts";
import { concat, type Doc, hardLine, renderDoc } from "./write/doc.ts";
import { writeItem, writeProperties } from "./write/write-item.ts";
import type { WriteStyle } from "./write/write-value.ts";

/** How `writeGram` lays out its text. */
export interface WriteGramOptions {
  /** Breaks what is wider than `width`, and whatever holds a fenced text. Without it an item stands on one line. */
  readonly pretty?: boolean;
  /** Where lines are to end when pretty; 100 unless told. */
  readonly width?: number;
}

/**
 * Writes what `readGram` reads back as the same document, comments included. Order and the choice between `:` and
 * `::` stay; quotes, spaces and empty records become uniform. Throws when a made document says what gram cannot.
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
