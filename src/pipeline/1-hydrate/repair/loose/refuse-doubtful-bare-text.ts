import { refuseRepair } from "../repair-context.ts";

const singleWordPattern = /^[\p{L}\p{N}_./@][\p{L}\p{N}_.:/@-]*(?<![:.-])$/u;

const typeNames: ReadonlySet<string> = new Set(
  "string str text char integer int number float double decimal boolean bool object dict array list any unknown".split(
    " ",
  ),
);

const isCodeReference = (token: string): boolean =>
  /^(?:self|this|process|os|sys|window|document|globalThis)\./.test(token) ||
  token.startsWith("...") ||
  /^[A-Z][A-Z\d_]+$/.test(token);

/** The word could be a member name, a type, a variable or a placeholder. */
export const refuseDoubtfulBareText = (token: string, ...names: readonly ReadonlySet<string>[]): void => {
  if (token.length > 400 || !singleWordPattern.test(token) || !/[\p{L}\p{N}]/u.test(token)) {
    refuseRepair("a text has no quotes, and its end is not certain");
  }
  const label = token.split(":", 1)[0]!;
  const isName = names.some((each) => each.has(token) || each.has(label));
  if (isName || typeNames.has(token.toLowerCase()) || isCodeReference(token)) {
    refuseRepair("a word without quotes could stand for something else");
  }
};
