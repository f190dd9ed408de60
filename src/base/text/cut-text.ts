/** Whether the index is between the two halves of a surrogate pair. */
const splitsPair = (text: string, index: number): boolean =>
  (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;

/** The first `length` code units, or one less where that would split a surrogate pair. */
export const headOf = (text: string, length: number): string =>
  text.slice(0, splitsPair(text, length) ? length - 1 : length);

/** The last `length` code units, or one less where that would split a surrogate pair. */
export const tailOf = (text: string, length: number): string => {
  const start = Math.max(0, text.length - length);
  return text.slice(splitsPair(text, start) ? start + 1 : start);
};

/** The text, or its first `length` code units and an ellipsis. */
export const shorten = (text: string, length: number): string =>
  text.length > length ? `${headOf(text, length)}…` : text;
