/** The words of a name: `maxResults`, `max_results` and `MAX-RESULTS` have the same ones. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_\-. ]+/)
    .filter((word) => word !== "");

const folded = (name: string): string => name.toLowerCase().replace(/[_\-. ]/g, "");

const isLetters = (text: string): boolean => /^\p{L}*$/u.test(text);

/**
 * One letter more, less, other, or two swapped. Never in the first two letters, which turn `isactive` into
 * `inactive`, and never a digit.
 */
const isOneEditApart = (left: string, right: string): boolean => {
  if (Math.min(left.length, right.length) < 5 || Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let end = 0;
  const room = Math.min(left.length, right.length) - start;
  while (end < room && left.at(-1 - end) === right.at(-1 - end)) end++;
  const [from, to] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  if (start < 2 || !isLetters(from) || !isLetters(to)) return false;
  if (from.length <= 1 && to.length <= 1) return true;
  return from.length === 2 && to.length === 2 && from[0] === to[1] && from[1] === to[0];
};

/** Whether one name is so close to the other that it is a misspelling. */
export const isNearKey = (written: string, name: string): boolean => {
  if (written.length > 64 || name.length > 64) return false;
  if (folded(written) === folded(name)) return folded(name) !== "";
  const [left, right] = [wordsOf(written), wordsOf(name)];
  if (left.length !== right.length) return false;
  const apart = left.flatMap((word, index) => (word === right[index] ? [] : [index]));
  return apart.length === 1 && isOneEditApart(left[apart[0]!]!, right[apart[0]!]!);
};
