import { termsOf } from "./terms.ts";

/** A part of a question that may want a tool of its own. */
export interface Wish {
  readonly text: string;
  /** Stems, in their order. */
  readonly terms: readonly string[];
}

/** Of a longer question the rest is read as one. */
const mostWishes = 8;

const between =
  /(?<=[.!?;。！？；])\s+|\n+|,?\s+(?:and then|then|and also|additionally|furthermore|also|finally|after that|moreover|besides|afterwards|lastly|secondly|next)(?!\p{L})/giu;

/** Sentences and what `then` and `also` join, each with at least two words that say something. */
export const wishesIn = (text: string): readonly Wish[] => {
  const parts: Wish[] = [];
  for (const part of text.split(between)) {
    const trimmed = part.trim();
    const terms = trimmed === "" ? [] : termsOf(trimmed);
    if (terms.length < 2) continue;
    if (parts.length < mostWishes) parts.push({ text: trimmed, terms });
    else {
      const last = parts.pop() as Wish;
      parts.push({ text: `${last.text} ${trimmed}`, terms: [...last.terms, ...terms] });
    }
  }
  return parts.length === 0 ? [{ text: text.trim(), terms: termsOf(text) }] : parts;
};
