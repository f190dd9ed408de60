import type { GramDocument } from "./document.ts";
import { after, before, inside } from "./write/comments.ts";
import { all, type Doc, hardLine, printed } from "./write/doc.ts";
import { writeItem, writeProperties } from "./write/item.ts";
import type { Style } from "./write/value.ts";

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
  const style: Style = { breakAtFence: pretty };
  const chunks: string[] = [];
  const add = (docs: readonly Doc[]): void => {
    const written = printed(all(docs), width);
    chunks.push(chunks.length === 0 ? written.trimStart() : written);
  };
  const { header, items, comments } = document;
  if (header !== undefined) {
    const record = writeProperties(header.properties, inside(header.comments), style);
    add([...before(header.comments), record, ...after(header.comments), hardLine]);
  }
  for (const item of items) {
    const gap = item.apart === true ? [hardLine] : [];
    add([...before(item.comments), ...gap, writeItem(item, style), ...after(item.comments), hardLine]);
  }
  if (comments !== undefined) add(before({ before: comments }));
  return chunks.join("");
};
