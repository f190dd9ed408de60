import { shorten } from "../../../base/text/cut-text.ts";

const defaultMaxLength = 200;

/** Words of a stranger for a message: on one line, without control characters, and never more than a little. */
export const sanitizeForeignText = (value: unknown, maxLength: number = defaultMaxLength): string => {
  const text = typeof value === "string" ? value : String(value);
  // Cut first: the whole may be megabytes.
  const line = text
    .slice(0, maxLength * 4)
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  return shorten(line, maxLength);
};
