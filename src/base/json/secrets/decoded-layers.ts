import type { TextSpan } from "./span.ts";

/** A text with its escapes undone once, and without invisible characters. */
export interface DecodedText {
  readonly text: string;
  /** Where a span of it stands in the text it was read from. */
  readonly below: (span: TextSpan) => TextSpan;
}

/** JSON in JSON in a page is three; deeper nesting is not met in what tools and servers say. */
const maxDecodeRounds = 4;

/** The named entities that stand for ASCII characters, each followed by its character. */
const entities = new Map(
  "amp& lt< gt> quot\" apos' sol/ plus+ equals= bsol\\ colon: commat@ num# dollar$ percnt% excl! quest? ast* lpar( rpar) comma, period. semi; lowbar_ Hat^ grave` lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub} lbrace{ rbrace} verbar| vert| Tab\t NewLine\n nbsp\u00a0"
    .split(" ")
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);

/** What a backslash before a character makes of it, by its code. */
const backslashEscapes: readonly (string | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if ("\\\"'`/".includes(character)) return character;
  return { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[character];
});

const hexDigit = "[\\da-fA-F]";
/** What another escape follows may be a part of something longer, which shows when that one is undone. */
const unfinished = "(?![%&\\\\])";
const escapeEnd = `(?:;|${unfinished})`;
const continuationByte = `%[89abAB]${hexDigit}`;
/** Escapes of JSON and its relatives, of HTML and XML, and of URLs; a character of several bytes is one. */
const escaped = new RegExp(
  [
    `&#(\\d{1,8}(?!\\d))${escapeEnd}`,
    "&([A-Za-z]{2,7});",
    `(%[cdCD]${hexDigit}${continuationByte}|%[eE]${hexDigit}(?:${continuationByte}){2}|%[fF]${hexDigit}(?:${continuationByte}){3})`,
    `(?:\\\\u|%u)${hexDigit}{4}|\\\\u\\{${hexDigit}{1,6}\\}|\\\\x${hexDigit}{2}|&#[xX]${hexDigit}{1,8}(?!${hexDigit})${escapeEnd}|%[0-7]${hexDigit}`,
    `%[c-fC-F]${hexDigit}${unfinished}`,
  ].join("|"),
  "y",
);

const decodeEscape = ([whole, decimal, name, bytes]: RegExpExecArray): string | undefined => {
  if (name !== undefined) return entities.get(name);
  try {
    if (bytes !== undefined) return decodeURIComponent(bytes);
    return String.fromCodePoint(Number(decimal ?? `0x${/[\da-fA-F]+/.exec(whole)![0]}`));
  } catch {
    return undefined;
  }
};

/** What stands at `at` in the reading, and at `start` to `end` below. */
interface DecodedSpan extends TextSpan {
  readonly at: number;
  readonly length: number;
}

const decodeOnce = (text: string): DecodedText | undefined => {
  const places: DecodedSpan[] = [];
  let written = "";
  let kept = 0;
  const write = (character: string, start: number, end: number): void => {
    written += text.slice(kept, start);
    places.push({ at: written.length, length: character.length, start, end });
    written += character;
    kept = end;
  };
  const sign = /[\\&%\p{DI}]/gu;
  for (let match = sign.exec(text); match !== null; match = sign.exec(text)) {
    const at = match.index;
    if (invisible.test(match[0])) {
      write("", at, sign.lastIndex);
      continue;
    }
    // Most escapes are of one character, and most of those are quotes and line ends.
    const simple = text[at] === "\\" ? backslashEscapes[text.charCodeAt(at + 1)] : undefined;
    escaped.lastIndex = at;
    const found = simple === undefined ? escaped.exec(text) : null;
    const character = simple ?? (found === null ? undefined : decodeEscape(found));
    if (character === undefined) continue;
    const end = at + (found?.[0].length ?? 2);
    write(character, at, end);
    sign.lastIndex = end;
  }
  if (kept === 0) return undefined;

  const below = (at: number): TextSpan => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    const place = places[low - 1];
    if (place === undefined) return { start: at, end: at + 1 };
    if (at < place.at + place.length) return place;
    const start = at - place.at - place.length + place.end;
    return { start, end: start + 1 };
  };
  return {
    text: written + text.slice(kept),
    below: ({ start, end }) => ({ start: below(start).start, end: below(end - 1).end }),
  };
};

/** Default ignorable code points: shown as nothing, so a secret with some of them inside is still read as the secret. */
const invisible = /\p{DI}/u;

/** Three searches for one character are quicker than one for three. */
export const mayBeEscaped = (text: string): boolean =>
  text.includes("\\") || text.includes("%") || text.includes("&") || invisible.test(text);

/** Escapes that hide more than quotes, line ends and backslashes. */
const hidingPattern = /\\[ux/]|&#|&[A-Za-z]{2,7};|%u?[\da-fA-F]{2}/;

/** Whether letters and signs of a text may be escaped or interrupted, not only quotes, line ends and backslashes. */
export const mayHideCharacters = (text: string): boolean => hidingPattern.test(text) || invisible.test(text);

/** The text read again and again until it holds no more escapes; nothing for one that holds none. */
export const decodedLayers = (text: string): readonly DecodedText[] => {
  const found: DecodedText[] = [];
  for (let last = text; found.length < maxDecodeRounds && mayBeEscaped(last); last = found.at(-1)!.text) {
    const reading = decodeOnce(last);
    if (reading === undefined) break;
    found.push(reading);
  }
  return found;
};

/** Where a span of the reading at `depth` stands in the text that all of them began with. */
export const toOriginalSpan = (layers: readonly DecodedText[], depth: number, span: TextSpan): TextSpan => {
  let found = span;
  for (let at = depth; at >= 0; at--) found = layers[at]!.below(found);
  return found;
};
