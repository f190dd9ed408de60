import { isFaithful } from "../../../../json/exact/number-literal.ts";
import { kinds } from "../kinds.ts";
import { refuse } from "../repairing.ts";

const isDelimiter = (character: string): boolean => " \t\n\r,{}[]\"'\\\u00A0".includes(character);

/** Where a value without quotes ends. What could be a comment in it could as well be a path. */
export const tokenEnd = (text: string, at: number): number => {
  let end = at;
  while (end < text.length && !isDelimiter(text[end]!)) {
    if (text[end] === "/" && (text[end + 1] === "*" || text[end + 1] === "/")) {
      const isAddress = text[end + 1] === "/" && end > at && text[end - 1] === ":";
      if (!isAddress) refuse("it is not certain whether it is a path or a comment");
      end++;
    }
    end++;
  }
  return end;
};

/** JSON has none of these, and which value is meant by some is open. */
const python: ReadonlyMap<string, boolean | null> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
]);
const words: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
  ...python,
]);
const notText = new Set("true false null none nil undefined nan inf infinity yes no on off".split(" "));

const literal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const whole = /^-?(?:0|[1-9]\d*)$/;
const readable = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const almost = /^[+-]?[\d._]*(?:[eE][+-]?\d*)?n?$/;
const otherBase = /^[+-]?0[xXoObB][\da-fA-F_]*$/;

/** The number that a JSON literal means, unless JavaScript would change it. */
export const toNumber = (text: string, accepts: number): number | undefined => {
  if ((accepts & kinds.number) === 0 || text.length > 400) return undefined;
  if (!((accepts & kinds.number) === kinds.integer ? whole : literal).test(text)) return undefined;
  const value = isFaithful(text.startsWith("-") ? text.slice(1) : text) ? Number(text) : undefined;
  return Object.is(value, -0) ? undefined : value;
};

/** `+5`, `.5` and `5.` as JSON writes them. */
const toLiteral = (token: string): string => {
  if (token.length > 400 || !readable.test(token)) return token;
  const sign = token.startsWith("-") ? "-" : "";
  let digits = token.startsWith("-") || token.startsWith("+") ? token.slice(1) : token;
  if (digits.startsWith(".")) digits = `0${digits}`;
  if (digits.endsWith(".")) digits = digits.slice(0, -1);
  return `${sign}${digits}`;
};

/** `text` has its quotes missing; `number` and `word` are values in another language's writing. */
export interface LooseToken {
  readonly value: unknown;
  readonly form: "json" | "number" | "text" | "word";
}

/** What a token without quotes means where these kinds of values are accepted. */
export const readToken = (token: string, accepts: number): LooseToken => {
  const word = words.get(token);
  if (word !== undefined) return { value: word, form: python.has(token) ? "word" : "json" };
  if (token === "-0") return { value: 0, form: "json" };
  const number = toNumber(toLiteral(token), kinds.number);
  if (number !== undefined) {
    if (literal.test(token)) return { value: number, form: "json" };
    if ((accepts & kinds.string) !== 0) refuse("it could be a number or a text");
    return { value: number, form: "number" };
  }
  if (almost.test(token) || otherBase.test(token)) refuse("a number is not written as JSON writes it");
  if (notText.has(token.toLowerCase())) refuse("a word stands for a value that JSON does not have");
  if (accepts !== kinds.string) {
    refuse("a value has no quotes, and the schema does not say that it is a string");
  }
  return { value: token, form: "text" };
};
