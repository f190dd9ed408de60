import { shorten } from "../../../text/cut-text.ts";

const longest = 200;

/** Words of a stranger for a message: on one line, without control characters, and never more than a little. */
export const foreignWords = (words: unknown, most: number = longest): string => {
  const text = typeof words === "string" ? words : String(words);
  // Cut first: the whole may be megabytes.
  const line = text
    .slice(0, most * 4)
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  return shorten(line, most);
};
