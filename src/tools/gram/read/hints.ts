import { shorten } from "../../../base/text/cut-text.ts";
import { isInvisible } from "./invisible.ts";
import type { Scanner } from "./scanner.ts";

export const excerptOf = (text: string): string => shorten(text, 40);

/** Undefined for ASCII. */
export const foreignHint = (scanner: Scanner, quoting: string): string | undefined => {
  const code = scanner.codeAt(scanner.offset);
  if (code >= 0x2018 && code <= 0x201f) return "Write straight quotes.";
  if (code < 128) return undefined;
  return isInvisible(String.fromCharCode(code)) ? "Write a plain space, or nothing." : quoting;
};
