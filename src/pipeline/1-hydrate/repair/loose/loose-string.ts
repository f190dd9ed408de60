import { refuseRepair } from "../repair-context.ts";
import { refuseDoubtfulEscapes } from "./refuse-doubtful-escapes.ts";

export interface LooseString {
  readonly value: string;
  readonly end: number;
  readonly isStrict: boolean;
  readonly escapes: number;
  readonly backslashes: number;
}

const closingQuotes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "”": "”",
  "„": "“”",
  "‘": "’",
  "’": "’",
};

export const isQuote = (character: string | undefined): boolean =>
  character !== undefined && Object.hasOwn(closingQuotes, character);

const knownEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
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

/**
 * Before a letter, the backslash is literal; before a sign only if the string also contains a class such as
 * `\d`, because models escape signs unnecessarily.
 */
const readBackslash = (text: string, at: number): "class" | "letter" | "sign" => {
  const next = text[at + 1] ?? "";
  const isForeign =
    "aevbfu".includes(next) ||
    (next === "N" && text[at + 2] === "{") ||
    (next === "x" && isHex(text, at + 2, 2)) ||
    (next === "U" && isHex(text, at + 2, 8));
  if (isForeign) refuseRepair("a string contains an escape that JSON does not have");
  if ("dDwWsS".includes(next)) return "class";
  if (/[A-Za-z]/.test(next)) return "letter";
  return next !== "" && ".()[]{}*+?^|-".includes(next)
    ? "sign"
    : refuseRepair("a string contains one escape too many");
};

export const readLooseString = (text: string, at: number, isDecoded: boolean): LooseString => {
  const opening = text[at]!;
  const closers = closingQuotes[opening]!;
  let isStrict = opening === '"';
  let escapes = 0;
  const backslashes = { class: 0, letter: 0, sign: 0 };
  const apostrophes = { bare: 0, escaped: 0 };
  let value = "";
  let from = at + 1;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32) {
      if (code !== 9 && code !== 10 && code !== 13) refuseRepair("a string contains a control character");
      isStrict = false;
    } else if (code === 92) {
      const next = text[i + 1] ?? "";
      const isUnicode = next === "u" && isHex(text, i + 2, 4);
      if (isUnicode || Object.hasOwn(knownEscapes, next)) {
        if (next === "/" && opening === "'")
          refuseRepair("an escaped slash has two meanings in single quotes");
        if (next === "'") apostrophes.escaped++;
        isStrict &&= next !== "'";
        escapes++;
        const to = isUnicode
          ? String.fromCharCode(Number.parseInt(text.slice(i + 2, i + 6), 16))
          : knownEscapes[next];
        value += text.slice(from, i) + to;
        i += isUnicode ? 5 : 1;
        from = i + 1;
      } else {
        backslashes[readBackslash(text, i)]++;
        isStrict = false;
      }
    } else if (closers.includes(text[i]!)) {
      if (apostrophes.bare > 0 && apostrophes.escaped > 0)
        refuseRepair("only some of its apostrophes are escaped");
      if (backslashes.sign > 0 && backslashes.class === 0)
        refuseRepair("a string contains one escape too many");
      const inside = text.slice(at + 1, i);
      refuseDoubtfulEscapes(inside, isDecoded);
      refuseSwallowedMember(inside, opening);
      const count = backslashes.class + backslashes.letter + backslashes.sign;
      return { value: value + text.slice(from, i), end: i + 1, isStrict, escapes, backslashes: count };
    } else if (code === 39) {
      apostrophes.bare++;
    }
  }
  return refuseRepair("a string is never closed");
};

/** A quote of another kind before a separator suggests that this string should have ended earlier. */
const refuseSwallowedMember = (inside: string, opening: string): void => {
  const isSwallowed =
    opening === '"'
      ? /^\s*[,:]\s*'/.test(textAfter(inside, "'")) || /[“”‘’]\s*[,:]\s*["'“”‘’\n]/.test(inside)
      : opening === "'"
        ? /^\s*[,:}\]]/.test(textAfter(inside, '"'))
        : /[“„‘]|(?<!\\)["']\s*[,:}\]]/.test(inside);
  if (isSwallowed) refuseRepair("a string contains text that could be a member");
};

const textAfter = (inside: string, quote: string): string => {
  const at = inside.indexOf(quote);
  return at < 0 ? "" : inside.slice(at + 1, at + 20);
};
