import { headOf, shorten } from "../text/cut-text.ts";
import type { Text } from "./words/shared.ts";

/** So many characters of a text are in an answer; the whole is asked for by itself. */
export const longestText = 65_536;

/** What ledgers put behind a text that was too long for a row; one in memory cuts at so many characters. */
const rowCut = "…[cut]";
const memoryCut = 16_385;

export const isCutInRow = (text: string): boolean =>
  text.endsWith(rowCut) || (text.length === memoryCut && text.endsWith("…"));

export const toText = (text: string, href?: string): Text => {
  if (text.length <= longestText) return isCutInRow(text) ? { text, cut: true } : { text };
  return {
    text: headOf(text, longestText).toWellFormed(),
    cut: true,
    length: text.length,
    ...(href === undefined ? {} : { href }),
  };
};

/** The beginning of a text, for a line of a table. */
export const startOf = (text: string, most = 200): string => shorten(text, most).toWellFormed();
