import { headOf, shorten } from "../../base/text/cut-text.ts";
import type { Text } from "./types/shared.ts";

/** So many characters of a text are in an answer; the whole is asked for by itself. */
export const maxTextLength = 65_536;

/** What ledgers put behind a text that was too long for a row; one in memory cuts at so many characters. */
const rowTruncationMark = "…[cut]";
const memoryTruncatedLength = 16_385;

export const isTruncatedInRow = (text: string): boolean =>
  text.endsWith(rowTruncationMark) || (text.length === memoryTruncatedLength && text.endsWith("…"));

export const toText = (text: string, href?: string): Text => {
  if (text.length <= maxTextLength) return isTruncatedInRow(text) ? { text, cut: true } : { text };
  return {
    text: headOf(text, maxTextLength).toWellFormed(),
    cut: true,
    length: text.length,
    ...(href === undefined ? {} : { href }),
  };
};

/** The beginning of a text, for a line of a table. */
export const textBeginning = (text: string, maxLength = 200): string =>
  shorten(text, maxLength).toWellFormed();
