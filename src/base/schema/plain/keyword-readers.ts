import { schemaLimits } from "../limits.ts";
import { checkPattern } from "../pattern-matcher.ts";
import type { JsonType } from "./plain-schema.ts";
import { refuseComplexity, refuseSchema } from "./refuse-schema.ts";

type KeywordReader<T> = (value: unknown, pointer: string) => T;

const jsonTypes: ReadonlySet<string> = new Set<JsonType>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const refuseShape = (pointer: string, right: string): never => refuseSchema(pointer, `it is not ${right}`);

export const readTypeKeyword: KeywordReader<readonly JsonType[]> = (value, pointer) => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (names.length > 0 && names.every((name) => typeof name === "string" && jsonTypes.has(name))) {
    return names as readonly JsonType[];
  }
  return refuseShape(pointer, `a type or a list of types; types are ${[...jsonTypes].join(", ")}`);
};

export const readNumberKeyword: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" ? value : refuseShape(pointer, "a number");

export const readDivisorKeyword: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" && value > 0 ? value : refuseShape(pointer, "a number greater than 0");

export const readCountKeyword: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0
    ? value
    : refuseShape(pointer, "a whole number of 0 or more");

export const readBooleanKeyword: KeywordReader<boolean> = (value, pointer) =>
  typeof value === "boolean" ? value : refuseShape(pointer, "true or false");

export const readNamesKeyword: KeywordReader<readonly string[]> = (value, pointer) =>
  Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value
    : refuseShape(pointer, "a list of names");

export const readListKeyword: KeywordReader<readonly unknown[]> = (value, pointer) =>
  Array.isArray(value) && value.length > 0 ? value : refuseShape(pointer, "a list of at least one schema");

export const readMapKeyword: KeywordReader<Readonly<Record<string, unknown>>> = (value, pointer) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : refuseShape(pointer, "an object");

export const readValuesKeyword: KeywordReader<readonly unknown[]> = (value, pointer) => {
  if (!Array.isArray(value)) return refuseShape(pointer, "a list of values");
  if (value.length <= schemaLimits.enumValues) return value;
  return refuseComplexity(pointer, `it lists more than ${schemaLimits.enumValues} values`);
};

export const readPatternKeyword: KeywordReader<string> = (value, pointer) => {
  if (typeof value !== "string") return refuseShape(pointer, "a regular expression");
  checkPattern(value, pointer);
  return value;
};

/** These mean the same in every dialect. */
export const keywordReaders: ReadonlyMap<string, KeywordReader<unknown>> = new Map<
  string,
  KeywordReader<unknown>
>([
  ["type", readTypeKeyword],
  ["multipleOf", readDivisorKeyword],
  ["maximum", readNumberKeyword],
  ["exclusiveMaximum", readNumberKeyword],
  ["minimum", readNumberKeyword],
  ["exclusiveMinimum", readNumberKeyword],
  ["maxLength", readCountKeyword],
  ["minLength", readCountKeyword],
  ["pattern", readPatternKeyword],
  ["maxItems", readCountKeyword],
  ["minItems", readCountKeyword],
  ["minContains", readCountKeyword],
  ["maxContains", readCountKeyword],
  ["maxProperties", readCountKeyword],
  ["minProperties", readCountKeyword],
  ["required", readNamesKeyword],
]);
