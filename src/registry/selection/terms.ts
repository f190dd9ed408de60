const stopWords = new Set(
  `a an the this that these those and or but nor so of to in on at by for from with without into onto over under about
  as is are was were be been being am do does did doing done has have had having i me my mine we us our you your he him
  his she her it its they them their who whom whose which what when where why how can could would should will shall may
  might must please want wants need needs like wish let lets just also some any all there here if then than not no yes
  im id ive ll re ve help tell know using use used via per each such other more most very up out given based provide
  provides following specified`.split(/\s+/),
);

export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase());

const wordRun = /[\p{L}\p{N}\p{M}]+/gu;
/** A faster pattern for ASCII text. */
const asciiRun = /[A-Za-z0-9]+/g;
const asciiPattern = /^[\0-\x7f]*$/;
const runsIn = (text: string): readonly string[] =>
  text.match(asciiPattern.test(text) ? asciiRun : wordRun) ?? [];

/** `sayHello`, `say_hello` and `say-hello` all give `say` and `hello`. */
export const splitWords = (text: string): readonly string[] => runsIn(text).flatMap((run) => partsOf(run));

const asciiInnerCase = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/;
const hasInnerCase = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
const isUnspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

const isNameInParts = (text: string): boolean =>
  asciiInnerCase.test(text) || (!asciiPattern.test(text) && hasInnerCase.test(text));

const partsOf = (run: string): readonly string[] => {
  if (!isNameInParts(run)) return [run.toLowerCase()];
  return run
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(" ");
};

/** Splits scripts without spaces into pairs of characters. */
const characterPairs = (run: string): readonly string[] => {
  const signs = [...run];
  return signs.length < 3 ? [run] : signs.slice(1).map((sign, at) => `${signs[at]}${sign}`);
};

const contraction = /(?<=\p{L})['’](?:s|m|d|ll|re|ve|t)(?!\p{L})/gu;

const maxCachedStems = 50_000;
const stemCache = new Map<string, string>();

/** Returns an empty string for a stop word. */
const termOf = (word: string): string => {
  const before = stemCache.get(word);
  if (before !== undefined) return before;
  const term = stopWords.has(word) || /^[a-z0-9]$/.test(word) ? "" : stem(word);
  if (stemCache.size >= maxCachedStems) stemCache.clear();
  if (word.length <= 40) stemCache.set(word, term);
  return term;
};

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

const maxWordLength = 64;

/** Returns the stems of the meaningful words, in order and with repetitions. */
export const termsOf = (text: string): readonly string[] => {
  const terms: string[] = [];
  const plain = text.includes("'") || text.includes("’") ? text.replaceAll(contraction, "") : text;
  for (const run of runsIn(plain)) {
    if (run.length > maxWordLength) continue;
    const known = stemCache.get(run);
    if (known !== undefined) {
      if (known !== "") terms.push(known);
      continue;
    }
    const parts = !asciiPattern.test(run) && isUnspaced.test(run) ? characterPairs(run) : partsOf(run);
    for (const part of parts) {
      const term = termOf(part);
      if (term !== "") terms.push(term);
    }
  }
  return terms;
};

/** Returns names such as GitHub as one word, because some queries write them so. */
export const camelCaseNames = (text: string): readonly string[] => {
  if (!isNameInParts(text)) return [];
  return runsIn(text).flatMap((run) =>
    run.length <= 24 && isNameInParts(run) ? [stem(run.toLowerCase())] : [],
  );
};
