import { refuse } from "./repairing.ts";

export interface LooseString {
  readonly value: string;
  /** Where the text goes on behind the closing quote. */
  readonly end: number;
  /** JSON would read it the same way. */
  readonly isStrict: boolean;
}

const closing: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "”": "”",
  "„": "“”",
  "‘": "’",
  "’": "’",
};

export const isQuote = (character: string | undefined): boolean =>
  character !== undefined && Object.hasOwn(closing, character);

const legal: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const isHex = (text: string, from: number, count: number): boolean => {
  for (let at = from; at < from + count; at++) {
    const code = text.charCodeAt(at) | 32;
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false;
  }
  return from + count <= text.length;
};

/** Other languages know these escapes, and a backslash in front of a line break means nothing certain either. */
const isForeignEscape = (text: string, at: number): boolean => {
  const next = text[at + 1] ?? "";
  if ("01234567aev\n\r".includes(next)) return true;
  if (next === "x") return isHex(text, at + 2, 2);
  if (next === "U") return isHex(text, at + 2, 8);
  return next === "u" && text[at + 2] === "{";
};

/**
 * The string that opens at `at`, by whatever quote. A backslash that starts no escape is a backslash, but only
 * in a string without a single escape: beside one nobody knows which of them were meant.
 */
export const readLooseString = (text: string, at: number): LooseString => {
  const opening = text[at]!;
  const closers = closing[opening]!;
  let isStrict = opening === '"';
  let escapes = 0;
  let backslashes = 0;
  let value = "";
  let from = at + 1;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32) {
      if (code !== 9 && code !== 10 && code !== 13) refuse("a control character stands inside a string");
      isStrict = false;
    } else if (code === 92) {
      const next = text[i + 1] ?? "";
      const isUnicode = next === "u" && isHex(text, i + 2, 4);
      if (isUnicode || Object.hasOwn(legal, next)) {
        if (next === "/" && opening === "'") refuse("an escaped slash has two meanings in single quotes");
        isStrict &&= next !== "'";
        escapes++;
        const to = isUnicode
          ? String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 6), 16))
          : legal[next];
        value += text.slice(from, i) + to;
        i += isUnicode ? 5 : 1;
        from = i + 1;
      } else {
        if (isForeignEscape(text, i)) refuse("a string holds an escape that JSON does not have");
        backslashes++;
        isStrict = false;
      }
    } else if (closers.includes(text[i]!)) {
      if (backslashes > 0 && escapes > 0) refuse("a string mixes escapes with bare backslashes");
      return { value: value + text.slice(from, i), end: i + 1, isStrict };
    }
  }
  return refuse("a string is never closed");
};
