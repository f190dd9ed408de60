import type { TextSpan } from "./span.ts";

const separatorPattern = /[:=]|["'`](?=[ \t]{0,4}\\{0,4}["'`])/g;
const foreignLetter = /[\p{L}\p{N}]/u;
const authSchemePattern = /^(?:bearer|basic|digest|token)\s+/i;
const harmlessPattern = /^(?:true|false|null|undefined)\b/;
const numberPattern = /^-?\d[\d.]{0,30}(?=[\s,}\]]|$)/;
const assignedPattern = /^(?:\[redacted\]|[^\s&;,"'<>)\]}])+/;

/** ASCII tables, because these checks run for every character. */
const characterTable = (pattern: RegExp): readonly boolean[] =>
  Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
const nameCharacters = characterTable(/[\w. -]/);
const quoteCharacters = characterTable(/[\s"'`\\]/);

const isNameAt = (text: string, at: number): boolean =>
  nameCharacters[text.charCodeAt(at)] ?? foreignLetter.test(text[at]!);

const isQuoteOrSpaceAt = (text: string, at: number): boolean =>
  quoteCharacters[text.charCodeAt(at)] ?? /\s/.test(text[at]!);

const isQuoteAt = (text: string, at: number): boolean =>
  text[at] === '"' || text[at] === "'" || text[at] === "`";

const nameBefore = (text: string, at: number): string => {
  let end = at;
  while (end > 0 && end > at - 6 && isQuoteOrSpaceAt(text, end - 1)) end--;
  let start = end;
  while (start > 0 && end - start < 60 && isNameAt(text, start - 1)) start--;
  return text.slice(start, end);
};

/** In JSON inside JSON both quotes have backslashes. */
const quotedSpan = (text: string, at: number, backslashes: number): TextSpan => {
  const start = at + 1;
  for (let end = text.indexOf(text[at]!, start); end >= 0; end = text.indexOf(text[at]!, end + 1)) {
    let run = 0;
    while (run <= backslashes && text[end - 1 - run] === "\\") run++;
    if (run <= backslashes) return { start, end: end - run };
  }
  return { start, end: text.length };
};

/** If the end is unclear, the span includes the rest of the line. */
export const valueAfter = (text: string, after: number, isAssigned: boolean): TextSpan | undefined => {
  let start = after;
  while (start < text.length && /[ \t=:>]/.test(text[start]!)) start++;
  let open = start;
  while (text[open] === "\\") open++;
  if (isQuoteAt(text, open)) return quotedSpan(text, open, open - start);
  const near = text.slice(start, start + 64);
  if (harmlessPattern.test(near)) return undefined;
  const digits = numberPattern.exec(near);
  if (digits !== null) return { start, end: start + digits[0].length };
  if (isAssigned) {
    const first = start + (authSchemePattern.exec(near)?.[0].length ?? 0);
    return { start, end: first + (assignedPattern.exec(text.slice(first))?.[0].length ?? 0) };
  }
  const lineEnd = text.indexOf("\n", start);
  return { start, end: lineEnd < 0 ? text.length : lineEnd };
};

export interface NamedValue extends TextSpan {
  readonly separator: TextSpan;
  readonly isAssigned: boolean;
}

export const namedValues = (text: string, isSecretKey: (key: string) => boolean): readonly NamedValue[] => {
  const values: NamedValue[] = [];
  separatorPattern.lastIndex = 0;
  for (let found = separatorPattern.exec(text); found !== null; found = separatorPattern.exec(text)) {
    const name = nameBefore(text, found.index);
    if (name === "" || !isSecretKey(name)) continue;
    const separator = { start: found.index, end: found.index + 1 };
    const isAssigned = found[0] === "=";
    const span = valueAfter(text, separator.end, isAssigned);
    if (span === undefined || span.end <= span.start) continue;
    values.push({ ...span, separator, isAssigned });
    separatorPattern.lastIndex = span.end;
  }
  return values;
};
