const splitsPair = (text: string, index: number): boolean =>
  (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;

/** Does not split a surrogate pair. */
export const headOf = (text: string, length: number): string =>
  text.slice(0, splitsPair(text, length) ? length - 1 : length);

/** Does not split a surrogate pair. */
export const tailOf = (text: string, length: number): string => {
  const start = Math.max(0, text.length - length);
  return text.slice(splitsPair(text, start) ? start + 1 : start);
};

export const shorten = (text: string, length: number): string =>
  text.length > length ? `${headOf(text, length)}…` : text;

export const firstSentenceOf = (text: string, most = 160): string => {
  // Cut first, because the text may have megabytes.
  const line = text
    .slice(0, most * 8)
    .replace(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();
  const sentence = /^.+?[.!?](?= |$)/u.exec(line)?.[0] ?? line;
  return sentence.length > most ? `${headOf(sentence, most - 1)}…` : sentence;
};
