import { refuse } from "../repairing.ts";

const oneWord = /^[\p{L}\p{N}_./@][\p{L}\p{N}_.:/@-]*(?<![:.-])$/u;

/** What a schema says instead of a value. */
const typeWords: ReadonlySet<string> = new Set(
  "string str text char integer int number float double decimal boolean bool object dict array list any unknown".split(
    " ",
  ),
);

const isCode = (token: string): boolean =>
  /^(?:self|this|process|os|sys|window|document|globalThis)\./.test(token) ||
  token.startsWith("...") ||
  /^[A-Z][A-Z\d_]+$/.test(token);

/**
 * A text without quotes is one word that can be nothing but itself: no name of a member, no type, no variable
 * and no `PLACEHOLDER`.
 */
export const refuseDoubtfulText = (token: string, ...names: readonly ReadonlySet<string>[]): void => {
  if (token.length > 400 || !oneWord.test(token) || !/[\p{L}\p{N}]/u.test(token)) {
    refuse("a text has no quotes, and its end is not certain");
  }
  const label = token.split(":", 1)[0]!;
  const isName = names.some((each) => each.has(token) || each.has(label));
  if (isName || typeWords.has(token.toLowerCase()) || isCode(token)) {
    refuse("a word without quotes could stand for something else");
  }
};
