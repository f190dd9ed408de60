import { capitals, claimAll, literals } from "./text.ts";

const joint = new RegExp(
  [
    "[;\\n]+",
    "[.!?]+(?=\\s)",
    ",?\\s+(?:and(?:\\s+(?:then|also))?|then|also|plus)\\s+",
    // One of a list of names: "in Oslo, Paris and Rome". "Paris, France" stays whole.
    `,\\s*(?=(?:${capitals},\\s*){0,8}${capitals},?\\s+and\\s+${capitals}(?![\\p{L}\\p{N}'’&-]|\\s*,))`,
  ].join("|"),
  "gu",
);

const most = 12;

export interface Clause {
  readonly start: number;
  readonly end: number;
}

const trimmed = (text: string, start: number, end: number): Clause => {
  const part = text.slice(start, end);
  return { start: end - part.trimStart().length, end: start + part.trimEnd().length };
};

/** The parts of a text that may each ask for something. What is quoted, and addresses, stay whole. */
export const clauses = (text: string): readonly Clause[] => {
  const parts: Clause[] = [];
  let start = 0;
  for (const match of claimAll(text, literals(text)).matchAll(joint)) {
    parts.push(trimmed(text, start, match.index));
    start = match.index + match[0].length;
  }
  parts.push(trimmed(text, start, text.length));
  const said = parts.filter((part) => /[\p{L}\p{N}]/u.test(text.slice(part.start, part.end)));
  // A text this long tells a story; it is not a list of wishes.
  return said.length > most ? [{ start: 0, end: text.length }] : said;
};
