import { headOf } from "./cut-text.ts";

/** The first sentence of a text, in one line of at most so many characters. */
export const firstSentenceOf = (text: string, most = 160): string => {
  // Cut first: the whole may be megabytes.
  const line = text
    .slice(0, most * 8)
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  const sentence = /^.+?[.!?](?= |$)/u.exec(line)?.[0] ?? line;
  return sentence.length > most ? `${headOf(sentence, most - 1)}…` : sentence;
};
