import type { TextSpan } from "./span.ts";

/** A text after one round of unescaping. */
export interface DecodedText {
  readonly text: string;
  readonly below: (span: TextSpan) => TextSpan;
}

/** JSON in JSON in HTML needs three rounds. */
const maxDecodeRounds = 4;

const entities = new Map(
  "amp& lt< gt> quot\" apos' sol/ plus+ equals= bsol\\ colon: commat@ num# dollar$ percnt% excl! quest? ast* lpar( rpar) comma, period. semi; lowbar_ Hat^ grave` lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub} lbrace{ rbrace} verbar| vert| Tab\t NewLine\n nbsp\u00a0"
    .split(" ")
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);

const backslashEscapes: readonly (string | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if ("\\\"'`/".includes(character)) return character;
  return { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[character];
});

const hexDigit = "[\\da-fA-F]";
/** An escape before another escape may be part of a longer one. */
const unfinished = "(?![%&\\\\])";
const escapeEnd = `(?:;|${unfinished})`;
const continuationByte = `%[89abAB]${hexDigit}`;
/** A multi-byte character counts as one escape. */
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

/** `at` and `length` locate the decoded character; `start` and `end` locate the escape. */
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

/** Default ignorable code points: a secret that contains them is still readable. */
const invisible = /\p{DI}/u;

/** Faster than one pattern. */
export const mayBeEscaped = (text: string): boolean =>
  text.includes("\\") || text.includes("%") || text.includes("&") || invisible.test(text);

const hidingPattern = /\\[ux/]|&#|&[A-Za-z]{2,7};|%u?[\da-fA-F]{2}/;

/** Whether other characters than quotes, line ends and backslashes may be escaped. */
export const mayHideCharacters = (text: string): boolean => hidingPattern.test(text) || invisible.test(text);

export const decodedLayers = (text: string): readonly DecodedText[] => {
  const found: DecodedText[] = [];
  for (let last = text; found.length < maxDecodeRounds && mayBeEscaped(last); last = found.at(-1)!.text) {
    const reading = decodeOnce(last);
    if (reading === undefined) break;
    found.push(reading);
  }
  return found;
};

export const toOriginalSpan = (layers: readonly DecodedText[], depth: number, span: TextSpan): TextSpan => {
  let found = span;
  for (let at = depth; at >= 0; at--) found = layers[at]!.below(found);
  return found;
};
