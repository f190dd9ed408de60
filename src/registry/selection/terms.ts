import { stem } from "./stem.ts";

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
