import { shorten } from "../../../base/text/cut-text.ts";

const defaultMaxLength = 200;

/** One line of untrusted text, without control characters. */
export const sanitizeUntrustedText = (value: unknown, maxLength: number = defaultMaxLength): string => {
  const text = typeof value === "string" ? value : String(value);
  // Cut first: the text may have megabytes.
  const line = text
    .slice(0, maxLength * 4)
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  return shorten(line, maxLength);
};
