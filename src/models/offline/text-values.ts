/** A value and the part of the text it was read from. */
export interface FoundValue {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

/** Stands where the text already serves as a value: it is neither word nor space, so nothing is read across it. */
const takenMark = "\0";

export const maskValue = (text: string, { start, end }: Omit<FoundValue, "value">): string =>
  text.slice(0, start) + takenMark.repeat(end - start) + text.slice(end);

export const maskValues = (text: string, parts: readonly Omit<FoundValue, "value">[]): string =>
  parts.reduce(maskValue, text);

/** Without the characters that mean something here. */
export const withoutMarks = (text: string): string => text.replaceAll(takenMark, " ");

const allMatches = (text: string, pattern: RegExp): readonly (FoundValue & { readonly value: string })[] =>
  [...text.matchAll(pattern)].map(({ 0: value, index }) => ({
    value,
    start: index,
    end: index + value.length,
  }));

const quotedText =
  /"([^"\0]+)"|“([^“”\0]+)”|«([^«»\0]+)»|`([^`\0]+)`|(?<![\p{L}\p{N}])'((?:[^'\0\n]|(?<=\p{L})'(?=\p{L}))+)'(?!\p{L})/gu;

/** One text is read again and again, for one value after another. */
const memoizeLast = <A>(read: (text: string) => A): ((text: string) => A) => {
  let last: { readonly text: string; readonly found: A } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, found: read(text) };
    return last.found;
  };
};

/** What stands between quotation marks, in order. */
export const quotations = memoizeLast((text): readonly (FoundValue & { readonly value: string })[] =>
  [...text.matchAll(quotedText)].map((match) => ({
    value: match.slice(1).find((group) => group !== undefined) ?? "",
    start: match.index,
    end: match.index + match[0].length,
  })),
);

/** The end of a sentence is no part of an address. */
const trimSentenceEnd = (
  found: FoundValue & { readonly value: string },
): FoundValue & { readonly value: string } => {
  const value = found.value.replace(/[.,;:!?)\]]+$/, "");
  return { value, start: found.start, end: found.start + value.length };
};

export const urls = (text: string) => allMatches(text, /\bhttps?:\/\/[^\s"'<>\0]+/giu).map(trimSentenceEnd);

export const emails = (text: string) =>
  allMatches(text, /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu).map(
    trimSentenceEnd,
  );

const date = /(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-]|T\d)/g;
const moment = /(?<![\d-])\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?/g;
const uuid = /(?<![\w-])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\w-])/gi;

export const dates = (text: string) => allMatches(text, date);
export const moments = (text: string) => allMatches(text, moment);
export const uuids = (text: string) => allMatches(text, uuid);

/** Values that contain digits or names without being numbers or names. */
export const literals = (text: string): readonly FoundValue[] => [
  ...quotations(text),
  ...urls(text),
  ...emails(text),
  ...dates(text),
  ...moments(text),
  ...uuids(text),
];

const amount =
  /(?<![\p{L}\p{N}_.-]|\d:)-?(?:(?<!\[[^\]]{0,200})\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?(?![\p{N}_]|\.\d|[-:]\d)/gu;

/** Numbers written in digits. One that would lose digits is none. */
export const numbers = memoizeLast((text): readonly (FoundValue & { readonly value: number })[] =>
  allMatches(maskValues(text, literals(text)), amount).flatMap(({ value, start, end }) => {
    const number = Number(value.replaceAll(",", ""));
    const isExact = Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
    return isExact ? [{ value: number, start, end }] : [];
  }),
);

const word = "\\p{Lu}[\\p{L}\\p{N}'’&-]*";
/** Words that begin with a capital, in a row, such as Ada Lovelace or Rio de Janeiro. */
export const capitals = `${word}(?:[ \\t]+(?:(?:de|da|do|del|la|le|van|von|der|of)[ \\t]+)?${word})*`;
