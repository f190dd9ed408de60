import { isObject } from "../../base/json/json-value.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { isStopWord, splitWords } from "../../registry/selection/terms.ts";
import type { Issue, JsonSchema } from "../../types/json.ts";
import type { ToolSpec } from "../../types/tool.ts";

export type Input = Readonly<Record<string, unknown>>;

export interface FilledInput {
  readonly input: Input;
  /** Why the tool would refuse the input. Empty if it is valid. */
  readonly issues: readonly Issue[];
}

/**
 * Reads a tool's arguments from a text: values after their names, then listed values, then the only value that
 * fits the only required argument left.
 */
export const fillInput = (spec: ToolSpec, text: string): FilledInput => {
  const written = parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  const stated = isObject(written) ? checkInput(spec, written) : undefined;
  return stated?.issues.length === 0 ? stated : checkInput(spec, readInput(text, parametersOf(spec.input)));
};

export const checkInput = (spec: ToolSpec, input: Input): FilledInput => {
  try {
    const checked = compileSchema(spec.input)(structuredClone(input));
    return { input, issues: checked.ok ? [] : checked.issues };
  } catch {
    return { input, issues: [{ pointer: "", message: "its schema is invalid" }] };
  }
};

export const parseJson = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER ? undefined : value;
  } catch {
    return undefined;
  }
};

interface Parameter {
  readonly key: string;
  readonly isRequired: boolean;
  readonly isNumber: boolean;
  /** The only allowed values as text, if the schema lists them. */
  readonly choices: readonly string[];
  readonly isValid: (value: unknown) => boolean;
}

const parametersOf = (root: JsonSchema): readonly Parameter[] => {
  const required: readonly unknown[] = Array.isArray(root.required) ? root.required : [];
  const properties = Object.entries(isObject(root.properties) ? root.properties : {});
  return properties.map(([key, given]) => {
    const schema = isObject(given) ? given : {};
    return {
      key,
      isRequired: required.includes(key),
      isNumber: ["number", "integer"].some((type) => [schema.type].flat().includes(type)),
      choices: [schema.enum ?? schema.const ?? []].flat().map(String),
      isValid: validatorOf(schema, root),
    };
  });
};

const validatorOf = (schema: JsonSchema, { $defs = {} }: JsonSchema): Parameter["isValid"] => {
  try {
    const validate = compileSchema({ $defs, ...schema }, { formats: "assert" });
    return (value) => validate(value).ok;
  } catch {
    return () => false;
  }
};

/** In the order in which a parameter takes them. */
const valueKinds = ["quoted", "word", "number"] as const;

/** A part of the text that can be a value. */
interface TextValue {
  readonly kind: (typeof valueKinds)[number];
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export const quotedText = /"[^"]+"|“[^“”]+”|`[^`]+`|(?<![\p{L}\p{N}])'[^'\n]+'(?!\p{L})/gu;
const url = /https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)\]]/u;
const email = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]*[\p{L}\p{N}]/u;
/** Numbers, dates, and codes such as A-17. */
const withDigit = /(?<![\p{L}\p{N}_./-])[\p{L}\p{N}_./-]*\d(?:[\p{L}\p{N}_.:/-]*[\p{L}\p{N}])?/u;
/** Capitalized words that do not begin a sentence. */
const properName = /(?<=[\p{L}\p{N},]\s)(?!I(?!\p{L}))\p{Lu}[\p{L}&'’-]*(?: \p{Lu}[\p{L}&'’-]*)*/u;
const valuePattern = new RegExp(
  [quotedText, url, email, withDigit, properName].map(({ source }) => source).join("|"),
  "gu",
);

const findValues = (text: string): readonly TextValue[] =>
  [...text.matchAll(valuePattern)].map(({ 0: found, index }) => {
    const isQuoted = /^["“`']/.test(found);
    const kind = isQuoted ? "quoted" : /^-?\d+(?:\.\d+)?$/.test(found) ? "number" : "word";
    const text = isQuoted ? found.slice(1, -1) : found.replace(/['’]s?$/, "");
    return { kind, text, start: index, end: index + found.length };
  });

interface Reading {
  readonly text: string;
  /** Parameters without a value. */
  readonly open: Set<Parameter>;
  /** Values that no parameter has taken. */
  values: readonly TextValue[];
}

const readInput = (text: string, parameters: readonly Parameter[]): Input => {
  const reading: Reading = { text, open: new Set(parameters), values: findValues(text) };
  const input = new Map<Parameter, unknown>();
  const numbersFirst = parameters.toSorted((a, b) => Number(b.isNumber) - Number(a.isNumber));
  for (const find of [findNamed, findChoice, findOnly]) {
    for (const parameter of numbersFirst.filter((each) => reading.open.has(each))) {
      const found = find(reading, parameter);
      if (found === undefined) continue;
      input.set(parameter, readAs(parameter, found.text) ?? parseJson(found.text) ?? found.text);
      reading.open.delete(parameter);
      reading.values = reading.values.filter(({ start, end }) => end <= found.start || start >= found.end);
    }
  }
  const given = parameters.filter((each) => input.has(each));
  return Object.fromEntries(given.map((each) => [each.key, input.get(each)]));
};

/** Reads the text itself or as JSON, whichever the parameter allows. */
const readAs = ({ isValid }: Parameter, text: string): unknown =>
  [text, parseJson(text)].find((value) => value !== undefined && isValid(value));

/** Ends of the places that name the parameter: `maxResults`, "max results", "Max-Results". */
const findMentions = (text: string, name: string): readonly number[] => {
  const words = splitWords(name).join("[\\s_-]?");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`, "giu");
  return words === "" ? [] : [...text.matchAll(pattern)].map(({ 0: found, index }) => index + found.length);
};

const linkPattern = /^\s*(?:[:=]|(?:is|of|to)(?=\s))?\s*/;
const clauseEnd = /[,;\n]|[.!?](?=\s|$)|\s\p{L}[\p{L}\p{N}_-]*[:=]/u;

/** Finds the value after "order 7" or "limit is 5", and any text after a colon or equals sign: "city: New York". */
const findNamed = ({ text, values }: Reading, parameter: Parameter): TextValue | undefined => {
  const unquoted = text.replaceAll(quotedText, ({ length }) => "\0".repeat(length));
  for (const end of findMentions(unquoted, parameter.key)) {
    const link = linkPattern.exec(unquoted.slice(end))?.[0] ?? "";
    const start = end + link.length;
    const next = values.find((each) => each.start === start);
    const clause = /[:=]/.test(link) ? (text.slice(start).split(clauseEnd, 1)[0] ?? "").trim() : "";
    const stated: TextValue = { kind: "word", text: clause, start, end: start + clause.length };
    const given = next?.kind === "quoted" ? [next] : [stated, next];
    const found = given.find((each) => each?.text && readAs(parameter, each.text) !== undefined);
    if (found !== undefined || clause !== "") return found ?? stated;
  }
  return undefined;
};

/** Finds the one listed value that the text mentions. */
const findChoice = ({ text }: Reading, { choices, isRequired }: Parameter): TextValue | undefined => {
  const isMentioned = (choice: string): boolean =>
    (isRequired || !isStopWord(choice)) && findMentions(text, choice).length > 0;
  const all = isRequired && choices.length === 1 ? choices : choices.filter((each) => isMentioned(each));
  return all.length === 1 ? { kind: "word", text: all[0]!, start: 0, end: 0 } : undefined;
};

/** Finds the only value for the only open parameter that can take one. */
const findOnly = (reading: Reading, parameter: Parameter): TextValue | undefined => {
  const [only, ...others] = [...reading.open].filter(
    (each) =>
      each.isRequired && each.isNumber === parameter.isNumber && fittingValues(reading, each).length > 0,
  );
  const fitting = only === parameter && others.length === 0 ? fittingValues(reading, parameter) : [];
  return fitting.length === 1 ? fitting[0] : undefined;
};

/** The quoted texts that fit, otherwise the words or otherwise the numbers. A prompt takes the whole text. */
const fittingValues = ({ text, values }: Reading, parameter: Parameter): readonly TextValue[] => {
  const fitting = values.filter((each) => readAs(parameter, each.text) !== undefined);
  const kind = valueKinds.find((kind) => fitting.some((each) => each.kind === kind));
  if (kind !== "quoted" && /^(?:query|question|prompt)$/.test(parameter.key) && parameter.isValid(text))
    return [{ kind: "quoted", text, start: 0, end: text.length }];
  return fitting.filter((each) => each.kind === kind);
};
