import { headOf } from "./cut-text.ts";

export const firstSentenceOf = (text: string, most = 160): string => {
  // Cut first, because the text may have megabytes.
  const line = text
    .slice(0, most * 8)
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  const sentence = /^.+?[.!?](?= |$)/u.exec(line)?.[0] ?? line;
  return sentence.length > most ? `${headOf(sentence, most - 1)}…` : sentence;
};
