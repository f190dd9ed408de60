import { termsOf } from "./terms.ts";

/** A part of a question that may want a tool of its own. */
export interface QueryIntent {
  readonly text: string;
  /** Stems, in their order. */
  readonly terms: readonly string[];
}

/** Of a longer question the rest is read as one. */
const maxIntents = 8;
/** A part that says less belongs to the one before it. */
const minIntentTerms = 2;

const intentSeparator =
  /(?<=[.!?;。！？；])\s+|\n+|,?\s+(?:and then|then|and also|additionally|furthermore|also|finally|after that|moreover|besides|afterwards|lastly|secondly|next)(?!\p{L})/giu;

/** Sentences and what `then` and `also` join. Every word of the question stands in one of them. */
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
