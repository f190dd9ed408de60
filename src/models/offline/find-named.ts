import { isStopWord, splitWords } from "../../registry/selection/terms.ts";
import type { ValueShape } from "./read-shape.ts";
import { capitals, type FoundValue, numbers, quotations } from "./text-values.ts";

const namePattern = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${words.join("[\\s_-]{0,2}")}(?:e?s)?(?![\\p{L}\\p{N}])`, "giu");

const maxMentions = 20;

interface Mention {
  readonly start: number;
  readonly end: number;
}

/** Where the text says a name: `maxResults`, "max results", "Max-Results". */
export const findMentions = (text: string, words: readonly string[]): readonly Mention[] =>
  words.length === 0
    ? []
    : [...text.matchAll(namePattern(words))].slice(0, maxMentions).map(({ 0: all, index }) => ({
        start: index,
        end: index + all.length,
      }));

const linkPattern = /\s*(:|=|(?<=\s)(?:is|are|of|to|as|named|called|equals|at|by)(?=\s))?\s*/uy;
const linePattern = /[^\s,;\n\0][^,;\n\0]*/uy;
/** Where the next named value begins, or the sentence ends. */
const stopPattern = /\s+(?:and\s+)?\p{L}[\p{L}\p{N}_-]*\s*[:=](?!\/\/)|[.!?](?=\s|$)/u;
const tokenPattern = /[^\s,;:=\n\0"“”()]+/uy;
const properName = new RegExp(capitals, "uy");

const matchAt = (sticky: RegExp, text: string, start: number): string | undefined => {
  sticky.lastIndex = start;
  return sticky.exec(text)?.[0];
};

const trimEnding = (value: string): string => value.replace(/[\s.!?]+$/u, "");

/** A word that may be a value though nothing says so: it is a name or holds a digit. */
const isDistinctiveWord = (word: string): boolean => /^\p{Lu}|\d/u.test(word);

const stateVerb = /^(?:is|named|called|equals)$/;

const stringAt = (text: string, start: number, linked = "", isStrict = false): FoundValue | undefined => {
  const quotation = quotations(text).find((one) => one.start === start);
  if (quotation !== undefined) return quotation;
  const isStated = linked === ":" || linked === "=" || stateVerb.test(linked);
  if (isStrict && !isStated) return undefined;
  const rest =
    linked === ":"
      ? matchAt(linePattern, text, start)?.split(stopPattern)[0]
      : (matchAt(properName, text, start) ?? matchAt(tokenPattern, text, start));
  const value = trimEnding(rest ?? "");
  if (value === "") return undefined;
  if (stateVerb.test(linked) && isStopWord(value)) return undefined;
  if (!isStated && !isDistinctiveWord(value)) return undefined;
  return { value, start, end: start + value.length };
};

const truePattern = /^(?:true|yes|on)$/i;
const falsePattern = /^(?:false|no|off)$/i;
const denialPattern = /(?:\bno|\bnot|\bwithout|\bnever|\bdisabled?|n['’]t)(?:\s+\p{L}+)?\s+$/iu;

const booleanAt = (text: string, mention: Mention, start: number): FoundValue => {
  const word = matchAt(tokenPattern, text, start) ?? "";
  const plain = trimEnding(word);
  if (truePattern.test(plain) || falsePattern.test(plain))
    return { value: truePattern.test(plain), start: mention.start, end: start + plain.length };
  const before = text.slice(Math.max(0, mention.start - 40), mention.start);
  return { value: !denialPattern.test(before), ...mention };
};

const numberAt = (text: string, mention: Mention, start: number): FoundValue | undefined => {
  const all = numbers(text);
  const after = all.find((one) => one.start === start);
  if (after !== undefined && /[:=]/.test(text.slice(mention.end, start))) return after;
  // "4 people at 7" names four people.
  return (
    all.find((one) => one.end <= mention.start && /^\s+$/.test(text.slice(one.end, mention.start))) ?? after
  );
};

const flagVerbs = new Set(["is", "has", "should", "be", "include", "with", "enable", "use"]);

/** The words a value goes by; a flag is named without its verb. */
const wordsOf = (key: string, shape: ValueShape): readonly string[] => {
  const words = splitWords(key);
  const isFlag = shape.kind === "boolean" && words.length > 1 && flagVerbs.has(words[0] ?? "");
  return isFlag ? words.slice(1) : words;
};

const valueAt = (
  text: string,
  shape: ValueShape,
  mention: Mention,
  isStrict: boolean,
): FoundValue | undefined => {
  linkPattern.lastIndex = mention.end;
  const match = linkPattern.exec(text);
  const start = mention.end + (match?.[0].length ?? 0);
  if (shape.kind === "boolean") return booleanAt(text, mention, start);
  if (shape.kind === "number") return numberAt(text, mention, start);
  return shape.kind === "string" ? stringAt(text, start, match?.[1]?.toLowerCase(), isStrict) : undefined;
};

export interface NamedValueQuery {
  readonly key: string;
  readonly shape: ValueShape;
  /** Takes only "key: value", "key is value" and quotations: the key is a word that requests hold anyway. */
  readonly isStrict: boolean;
}

const spanWithName = (found: FoundValue, mention: Mention): FoundValue => ({
  value: found.value,
  start: Math.min(found.start, mention.start),
  end: Math.max(found.end, mention.end),
});

/** The value that the text gives under its name, as "city: Oslo", "radius of 4", "5 results" or "from EUR". */
export const findNamed = (
  text: string,
  { key, shape, isStrict }: NamedValueQuery,
): FoundValue | undefined => {
  const words = wordsOf(key, shape);
  for (const mention of findMentions(text, words)) {
    const found = valueAt(text, shape, mention, isStrict);
    if (found !== undefined) return spanWithName(found, mention);
  }
  if (words.length < 2 || isStrict || shape.kind === "boolean") return undefined;
  const isDirection = /^(?:from|to)$/.test(words[0] ?? "");
  const isNumber = /^(?:id|number|code)$/.test(words.at(-1) ?? "");
  for (const mention of findMentions(
    text,
    isDirection ? words.slice(0, 1) : isNumber ? words.slice(0, -1) : [],
  )) {
    const found = valueAt(text, shape, mention, false);
    // "user 42" names the id of a user, "user Ada" does not; "from EUR" is a currency, "from there" is none.
    const value = String(found?.value ?? "");
    if (found !== undefined && (isDirection ? isDistinctiveWord(value) : /\d/.test(value)))
      return spanWithName(found, mention);
  }
  return undefined;
};
