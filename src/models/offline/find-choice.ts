import { isStopWord, splitWords } from "../../registry/selection/terms.ts";
import { findMentions } from "./find-named.ts";
import { type FoundValue, numbers } from "./text-values.ts";

const findMention = (text: string, value: unknown): FoundValue | undefined => {
  if (typeof value === "number") return numbers(text).find((one) => one.value === value);
  if (typeof value !== "string") return undefined;
  const [first] = findMentions(text, splitWords(value));
  return first === undefined ? undefined : { ...first, value };
};

/** A short word such as `in` or `on` says nothing of itself. */
const isDistinctive = ({ value }: FoundValue): boolean =>
  typeof value !== "string" || (value.length > 2 && value !== "off" && !isStopWord(value));

/** The listed values that the text mentions, in its order. */
export const findChoices = (text: string, values: readonly unknown[]): readonly FoundValue[] =>
  values
    .flatMap((value) => findMention(text, value) ?? [])
    .toSorted((a, b) => a.start - b.start)
    .filter(({ value }, index, all) => all.findIndex((one) => one.value === value) === index);

const linkPattern = /^\s*(?:[:=]|(?:is|of|to|as|in)(?=\s))?\s*$/i;

/** "from German" is a choice of its own beside "to French". */
const followsName = (text: string, key: string, { start }: FoundValue): boolean =>
  findMentions(text, splitWords(key)).some(
    ({ end }) => end <= start && linkPattern.test(text.slice(end, start)),
  );

export interface ChoiceQuery {
  readonly key: string;
  readonly values: readonly unknown[];
  readonly isRequired: boolean;
}

/** The one of the listed values that the text mentions; several are ambiguous. A single value leaves no choice. */
export const findChoice = (
  text: string,
  { key, values, isRequired }: ChoiceQuery,
): FoundValue | undefined => {
  if (isRequired && values.length === 1) return { value: values[0], start: 0, end: 0 };
  const all = findChoices(text, values);
  const named = all.find((one) => followsName(text, key, one));
  if (named !== undefined) return named;
  const telling = all.filter(isDistinctive);
  const candidates = telling.length === 0 && isRequired ? all : telling;
  return candidates.length === 1 ? candidates[0] : undefined;
};
