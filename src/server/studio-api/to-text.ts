import { headOf, shorten } from "../../base/text/cut-text.ts";
import type { Text } from "./schemas/shared.ts";

/** In characters. The full text has a URL of its own. */
export const maxTextLength = 65_536;

/** Ledgers append it to texts that they truncate. */
const rowTruncationMark = "…[cut]";
const memoryTruncatedLength = 16_385;

export const isTruncatedInRow = (text: string): boolean =>
  text.endsWith(rowTruncationMark) || (text.length === memoryTruncatedLength && text.endsWith("…"));

export const toText = (text: string, href?: string): Text => {
  if (text.length <= maxTextLength) return isTruncatedInRow(text) ? { text, isTruncated: true } : { text };
  return {
    text: headOf(text, maxTextLength).toWellFormed(),
    isTruncated: true,
    length: text.length,
    ...(href === undefined ? {} : { href }),
  };
};

export const textBeginning = (text: string, maxLength = 200): string =>
  shorten(text, maxLength).toWellFormed();
