import { termsOf } from "./terms.ts";

export interface QueryIntent {
  readonly text: string;
  readonly terms: readonly string[];
}

const maxIntents = 8;
/** Shorter parts are joined with the part before them. */
const minIntentTerms = 2;

const intentSeparator =
  /(?<=[.!?;。！？；])\s+|\n+|,?\s+(?:and then|then|and also|additionally|furthermore|also|finally|after that|moreover|besides|afterwards|lastly|secondly|next)(?!\p{L})/giu;

/** Splits a query into sentences and at words such as `then` and `also`. */
export const intentsIn = (text: string): readonly QueryIntent[] => {
  const parts: { readonly texts: string[]; readonly terms: string[] }[] = [];
  for (const part of text.split(intentSeparator)) {
    const trimmed = part.trim();
    const terms = trimmed === "" ? [] : termsOf(trimmed);
    if (terms.length === 0) continue;
    const last = parts.at(-1);
    const isJoined =
      last !== undefined &&
      (terms.length < minIntentTerms || last.terms.length < minIntentTerms || parts.length === maxIntents);
    if (isJoined) {
      last.texts.push(trimmed);
      last.terms.push(...terms);
    } else parts.push({ texts: [trimmed], terms: [...terms] });
  }
  if (parts.length === 0) return [{ text: text.trim(), terms: [] }];
  return parts.map(({ texts, terms }) => ({ text: texts.join(" "), terms }));
};
