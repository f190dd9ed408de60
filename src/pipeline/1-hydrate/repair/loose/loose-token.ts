import { isExactNumber } from "../../../../base/json/find-problem.ts";
import { jsonKindBits } from "../json-kinds.ts";
import { refuseRepair } from "../repair-context.ts";

const isDelimiter = (character: string): boolean => " \t\n\r,{}[]\"'\\\u00A0".includes(character);

export const tokenEnd = (text: string, at: number): number => {
  let end = at;
  while (end < text.length && !isDelimiter(text[end]!)) {
    if (text[end] === "/" && (text[end + 1] === "*" || text[end + 1] === "/")) {
      const isAddress = text[end + 1] === "/" && end > at && text[end - 1] === ":";
      if (!isAddress) refuseRepair("it is not certain whether it is a path or a comment");
      end++;
    }
    end++;
  }
  return end;
};

const pythonLiterals: ReadonlyMap<string, boolean | null> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
]);
const literalWords: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
  ...pythonLiterals,
]);
const ambiguousWords = new Set(
  "true false null none nil undefined nan inf infinity yes no on off".split(" "),
);

const jsonNumberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const jsonIntegerPattern = /^-?(?:0|[1-9]\d*)$/;
const readableNumberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const numberLikePattern = /^[+-]?[\d._]*(?:[eE][+-]?\d*)?n?$/;
const nonDecimalPattern = /^[+-]?0[xXoObB][\da-fA-F_]*$/;

/** Undefined if JavaScript cannot represent the number exactly. */
export const toNumber = (text: string, accepts: number): number | undefined => {
  if ((accepts & jsonKindBits.number) === 0 || text.length > 400) return undefined;
  if (
    !((accepts & jsonKindBits.number) === jsonKindBits.integer ? jsonIntegerPattern : jsonNumberPattern).test(
      text,
    )
  )
    return undefined;
  const value = isExactNumber(text.startsWith("-") ? text.slice(1) : text) ? Number(text) : undefined;
  return Object.is(value, -0) ? undefined : value;
};

/** Normalizes `+5`, `.5` and `5.` to JSON notation. */
const toLiteral = (token: string): string => {
  if (token.length > 400 || !readableNumberPattern.test(token)) return token;
  const sign = token.startsWith("-") ? "-" : "";
  let digits = token.startsWith("-") || token.startsWith("+") ? token.slice(1) : token;
  if (digits.startsWith(".")) digits = `0${digits}`;
  if (digits.endsWith(".")) digits = digits.slice(0, -1);
  return `${sign}${digits}`;
};

/** `text`: the quotes are missing. `number`, `word`: notation of another language. */
export interface LooseToken {
  readonly value: unknown;
  readonly form: "json" | "number" | "text" | "word";
}

export const readToken = (token: string, accepts: number): LooseToken => {
  const word = literalWords.get(token);
  if (word !== undefined) return { value: word, form: pythonLiterals.has(token) ? "word" : "json" };
  if (token === "-0") return { value: 0, form: "json" };
  const number = toNumber(toLiteral(token), jsonKindBits.number);
  if (number !== undefined) {
    if (jsonNumberPattern.test(token)) return { value: number, form: "json" };
    if ((accepts & jsonKindBits.string) !== 0) refuseRepair("it could be a number or a string");
    return { value: number, form: "number" };
  }
  if (numberLikePattern.test(token) || nonDecimalPattern.test(token))
    refuseRepair("a number is not in JSON notation");
  if (ambiguousWords.has(token.toLowerCase())) refuseRepair("a word means a value that JSON does not have");
  if (accepts !== jsonKindBits.string) {
    refuseRepair("a value has no quotes, and the schema does not say that it is a string");
  }
  return { value: token, form: "text" };
};
