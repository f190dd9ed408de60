import { quoteShort } from "../json-problem.ts";
import { digitsEnd, isExactNumber } from "./number-literal.ts";

export type TokenEnd = { readonly end: number } | { readonly fault: string; readonly at: number };

const escapes = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

const badEscape = (text: string, at: number): TokenEnd => {
  const next = text[at + 1];
  if (next === undefined) return { fault: "The text ends inside a string", at };
  if (next === "u") return { fault: "A \\u escape needs exactly four hexadecimal digits", at };
  const advice = next === "'" ? "write ' without a backslash" : "write \\\\ for a backslash";
  return { fault: `${quoteShort(`\\${next}`)} is not an escape that JSON has; ${advice}`, at };
};

export const stringToken = (text: string, at: number): TokenEnd => {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) return { end: i + 1 };
    if (code === 92) {
      if (!escapes.test(text.slice(i + 1, i + 6))) return badEscape(text, i);
      i += text[i + 1] === "u" ? 5 : 1;
    } else if (code < 32) {
      const name = code === 10 ? "line break" : code === 9 ? "tab" : "control character";
      const written = JSON.stringify(text[i]).slice(1, -1);
      return { fault: `A raw ${name} is inside a string; write it as ${written}`, at: i };
    }
  }
  return { fault: 'This string is never closed; add the missing "', at };
};

export const numberToken = (text: string, at: number): TokenEnd => {
  const start = text[at] === "-" ? at + 1 : at;
  let end = digitsEnd(text, start);
  if (end === start) return { fault: "A minus sign needs a digit after it", at };
  if (text[start] === "0" && end > start + 1) {
    return { fault: "A number must not start with 0; drop the leading zeros", at };
  }
  if (text[end] === ".") {
    const fraction = end + 1;
    end = digitsEnd(text, fraction);
    if (end === fraction) return { fault: "A decimal point needs a digit after it", at: fraction };
  }
  if (text[end] === "e" || text[end] === "E") {
    const power = end + (text[end + 1] === "+" || text[end + 1] === "-" ? 2 : 1);
    end = digitsEnd(text, power);
    if (end === power) return { fault: "An exponent needs a digit after it", at: power };
  }
  return isExactNumber(text.slice(start, end))
    ? { end }
    : { fault: inexactNumberFault(text.slice(at, end)), at };
};

const inexactNumberFault = (literal: string): string => {
  const value = Number(literal);
  const shown = quoteShort(literal).slice(1, -1);
  if (!Number.isFinite(value)) return `The number ${shown} is too large to be represented`;
  if (value === 0) return `The number ${shown} is too small and would become 0`;
  return `The number ${shown} would lose digits: whole numbers must lie within ±9007199254740991; write it as a string, "${shown}", if the schema allows one`;
};

const literals = ["true", "false", "null"];
const literalCorrections: Record<string, string> = {
  True: "true",
  TRUE: "true",
  False: "false",
  FALSE: "false",
  None: "null",
  NULL: "null",
  Null: "null",
  nil: "null",
  undefined: "null, or omit the member",
  NaN: "null or a string",
  Infinity: "null or a string",
};

export const wordToken = (text: string, at: number): TokenEnd => {
  let end = at;
  while (end < text.length && /[\w$]/.test(text[end]!)) end++;
  const word = text.slice(at, end);
  if (literals.includes(word)) return { end };
  const right = Object.hasOwn(literalCorrections, word) ? literalCorrections[word] : undefined;
  if (right !== undefined) return { fault: `${word} is not JSON; write ${right}`, at };
  const cut = literals.find((known) => end === text.length && known.startsWith(word));
  if (cut !== undefined) return { fault: `The text ends inside ${cut}`, at };
  return { fault: `Expected a value but found ${quoteShort(word)}; text needs double quotes around it`, at };
};
