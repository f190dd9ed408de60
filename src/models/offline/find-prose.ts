import { stem } from "../../registry/selection/stem.ts";
import { isStopWord, splitWords } from "../../registry/selection/terms.ts";
import { calendarWords } from "./find-kind.ts";
import { capitals, type FoundValue } from "./text-values.ts";

const politeOpening =
  /^[\s,.!]*(?:(?:please|hey|hi|hello|ok|okay)\b[\s,!]*)*(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|i\s+(?:want|need|would\s+like)\s+(?:you\s+)?to\s+|i['’]d\s+like\s+(?:you\s+)?to\s+|let['’]?s\s+)?(?:please\s+)?/iu;
const politeEnding = /[\s,]*(?:please|thanks|thank you)?[\s.!?]*$/iu;
/** Before a part that already serves as another value, as in "hello to French". */
const danglingPreposition = /\s*[,:(]*\s*(?:\b(?:to|in|into|for|from|at|with|as|on|by|and)\b\s*)*$/iu;
const requestVerbs = new Set(
  "find search look show get give say tell fetch ask run call put add write send make create".split(" "),
);
const fillers = new Set(["the", "a", "an", "me", "my", "us", "this", "that", "some", "up", "with"]);
const linkWords = new Set(["for", "about", "of", "that", "to", "on", "saying", "with"]);

/** How many characters at the front only say which tool is wanted. */
const leadLength = (text: string, toolWords: ReadonlySet<string>): number => {
  let end = 0;
  const words = [...text.matchAll(/[^\s,:;.!?]+[\s,:]*/gu)];
  for (const [index, { 0: all, index: start }] of words.entries()) {
    const word = all.replace(/[\s,:]+$/u, "").toLowerCase();
    const isTool =
      (end === 0 && requestVerbs.has(word)) || splitWords(word).some((part) => toolWords.has(stem(part)));
    if (isTool) end = start + all.length;
    else if (end === 0 || !fillers.has(word)) {
      const isLink = end > 0 && end === start && linkWords.has(word) && index + 1 < words.length;
      return isLink ? start + all.length : end;
    }
  }
  return end;
};

const directionWord = /^(?:on|onto|to|into|in|from)$/;

/** Without an ending that only says which tool is wanted, as "on the shopping list". */
const withoutToolEnding = (text: string, toolWords: ReadonlySet<string>): string => {
  const words = [...text.matchAll(/\S+/gu)];
  for (const { 0: word, index } of words.toReversed()) {
    const plain = word.toLowerCase();
    if (directionWord.test(plain)) return index + word.length < text.length ? text.slice(0, index) : text;
    if (!fillers.has(plain) && !splitWords(plain).every((part) => toolWords.has(stem(part)))) return text;
  }
  return text;
};

/** What is left of the text when politeness and the wish for the tool are taken off it. */
export const findProse = (text: string, toolWords: ReadonlySet<string>): FoundValue | undefined => {
  const parts = [...text.matchAll(/[^\0]+/g)].toSorted((a, b) => b[0].length - a[0].length);
  for (const { 0: part, index } of parts) {
    const courtesy = politeOpening.exec(part)?.[0].length ?? 0;
    const start = courtesy + leadLength(part.slice(courtesy), toolWords);
    const isCut = text[index + part.length] === "\0";
    const value = withoutToolEnding(
      part.slice(start).replace(isCut ? danglingPreposition : politeEnding, ""),
      toolWords,
    );
    const offset = value.length - value.trimStart().length;
    if (!/[\p{L}\p{N}]/u.test(value)) continue;
    const from = index + start + offset;
    return { value: value.trim(), start: from, end: from + value.trim().length };
  }
  return undefined;
};

const listSeparator = /\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+/iu;
const maxItemWords = 5;

/** Items of what is left, as in "milk, eggs and bread". A sentence is no list. */
export const findList = (text: string, toolWords: ReadonlySet<string>): FoundValue | undefined => {
  const prose = findProse(text, toolWords);
  if (prose === undefined) return undefined;
  const items = String(prose.value)
    .split(listSeparator)
    .map((item) => item.trim())
    .filter((item) => item !== "");
  const isList = items.length > 0 && items.every((item) => item.split(/\s+/).length <= maxItemWords);
  return isList ? { ...prose, value: items } : undefined;
};

const timeWord = new RegExp(`^(?:${calendarWords})$`, "u");
const properName = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${capitals}|[\\p{L}\\p{N}_/.#-]*\\d[\\p{L}\\p{N}_/.#-]*)`,
  "gu",
);

/** The one word or name that stands out, such as a code or a title. Two that do are ambiguous. */
export const findDistinctiveWord = (text: string, toolWords: ReadonlySet<string>): FoundValue | undefined => {
  const all = [...text.matchAll(properName)].flatMap(({ 0: run, index }): readonly FoundValue[] => {
    const value = run.replace(/[.#/-]+$/u, "");
    const isCode = /\d/.test(value) || /^\p{Lu}{2,}$/u.test(value);
    const isFirst = !/[\p{L}\p{N}]/u.test(
      text
        .slice(0, index)
        .split(/[.!?]\s/)
        .at(-1) ?? "",
    );
    const isOwn = splitWords(value).some((part) => toolWords.has(stem(part)));
    if (value === "I" || timeWord.test(value) || isStopWord(value) || isOwn || (isFirst && !isCode))
      return [];
    return [{ value, start: index, end: index + value.length }];
  });
  return all.length === 1 ? all[0] : undefined;
};
