const isVowel = (word: string, at: number): boolean => {
  const letter = word[at] as string;
  if ("aeiou".includes(letter)) return true;
  return letter === "y" && at > 0 && !isVowel(word, at - 1);
};

/** Counts how often a consonant follows a vowel. */
const countSyllables = (word: string): number => {
  let count = 0;
  let wasVowel = false;
  for (let at = 0; at < word.length; at++) {
    const vowel = isVowel(word, at);
    if (wasVowel && !vowel) count++;
    wasVowel = vowel;
  }
  return count;
};

const hasVowel = (word: string): boolean => {
  for (let at = 0; at < word.length; at++) if (isVowel(word, at)) return true;
  return false;
};

const endsDouble = (word: string): boolean =>
  word.length > 1 && word.at(-1) === word.at(-2) && !isVowel(word, word.length - 1);

/** Such stems get an `e` back, as in `hop` of `hoping`. */
const endsShort = (word: string): boolean => {
  const last = word.length - 1;
  return (
    last > 1 &&
    !isVowel(word, last) &&
    isVowel(word, last - 1) &&
    !isVowel(word, last - 2) &&
    !/[wxy]$/.test(word)
  );
};

type Ending = readonly [from: string, to: string];

const toEndings = (text: string): readonly Ending[] =>
  text.split(" ").map((pair) => pair.split(">") as unknown as Ending);

const doubleEndings = toEndings(
  "ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble",
);
const adjectiveEndings = toEndings("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>");
const lastEndings = "ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou".split(" ");

const replaceEnding = (word: string, endings: readonly Ending[]): string => {
  for (const [from, to] of endings) {
    if (!word.endsWith(from)) continue;
    const root = word.slice(0, -from.length);
    return countSyllables(root) > 0 ? root + to : word;
  }
  return word;
};

const withoutPlural = (word: string): string => {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
};

const withoutPast = (word: string): string => {
  if (word.endsWith("eed")) return countSyllables(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ["ed", "ing"].find((one) => word.endsWith(one) && hasVowel(word.slice(0, -one.length)));
  if (ending === undefined) return word;
  const root = word.slice(0, -ending.length);
  if (/(?:at|bl|iz)$/.test(root)) return `${root}e`;
  if (endsDouble(root) && !/[lsz]$/.test(root)) return root.slice(0, -1);
  return countSyllables(root) === 1 && endsShort(root) ? `${root}e` : root;
};

const withoutLast = (word: string): string => {
  const ending = lastEndings.find((one) => word.endsWith(one));
  if (ending !== undefined) {
    const root = word.slice(0, -ending.length);
    return countSyllables(root) > 1 ? root : word;
  }
  return /[st]ion$/.test(word) && countSyllables(word.slice(0, -3)) > 1 ? word.slice(0, -3) : word;
};

const removeFinalE = (word: string): string => {
  let root = word;
  if (root.endsWith("e")) {
    const shorter = root.slice(0, -1);
    const syllables = countSyllables(shorter);
    if (syllables > 1 || (syllables === 1 && !endsShort(shorter))) root = shorter;
  }
  return countSyllables(root) > 1 && endsDouble(root) && root.endsWith("l") ? root.slice(0, -1) : root;
};

/** Porter's algorithm. Other words change little. */
export const stem = (word: string): string => {
  if (word.length < 3 || word.length > 40 || /[^a-z]/.test(word)) return word;
  let root = withoutPast(withoutPlural(word));
  if (root.endsWith("y") && hasVowel(root.slice(0, -1))) root = `${root.slice(0, -1)}i`;
  root = replaceEnding(replaceEnding(root, doubleEndings), adjectiveEndings);
  return removeFinalE(withoutLast(root));
};
