import { limits } from "../limits.ts";
import { checkPattern } from "../pattern.ts";
import type { JsonType } from "./plain-schema.ts";
import { refuseComplexity, refuseSchema } from "./refusal.ts";

type KeywordReader<T> = (value: unknown, pointer: string) => T;

const types: ReadonlySet<string> = new Set<JsonType>([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const wrong = (pointer: string, right: string): never => refuseSchema(pointer, `it is not ${right}`);

export const readType: KeywordReader<readonly JsonType[]> = (value, pointer) => {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (names.length > 0 && names.every((name) => typeof name === "string" && types.has(name))) {
    return names as readonly JsonType[];
  }
  return wrong(pointer, `a type or a list of types; types are ${[...types].join(", ")}`);
};

export const readNumber: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" ? value : wrong(pointer, "a number");

export const readDivisor: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" && value > 0 ? value : wrong(pointer, "a number greater than 0");

export const readCount: KeywordReader<number> = (value, pointer) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0
    ? value
    : wrong(pointer, "a whole number of 0 or more");

export const readBoolean: KeywordReader<boolean> = (value, pointer) =>
  typeof value === "boolean" ? value : wrong(pointer, "true or false");

export const readNames: KeywordReader<readonly string[]> = (value, pointer) =>
  Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value
    : wrong(pointer, "a list of names");

export const readList: KeywordReader<readonly unknown[]> = (value, pointer) =>
  Array.isArray(value) && value.length > 0 ? value : wrong(pointer, "a list of at least one schema");

export const readMap: KeywordReader<Readonly<Record<string, unknown>>> = (value, pointer) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : wrong(pointer, "an object");

export const readValues: KeywordReader<readonly unknown[]> = (value, pointer) => {
  if (!Array.isArray(value)) return wrong(pointer, "a list of values");
  if (value.length <= limits.enumValues) return value;
  return refuseComplexity(pointer, `it lists more than ${limits.enumValues} values`);
};

export const readPatternText: KeywordReader<string> = (value, pointer) => {
  if (typeof value !== "string") return wrong(pointer, "a regular expression");
  checkPattern(value, pointer);
  return value;
};

/** The keywords that say the same in every dialect, and how their values are read. */
export const assertions: ReadonlyMap<string, KeywordReader<unknown>> = new Map<
  string,
  KeywordReader<unknown>
>([
  ["type", readType],
  ["multipleOf", readDivisor],
  ["maximum", readNumber],
  ["exclusiveMaximum", readNumber],
  ["minimum", readNumber],
  ["exclusiveMinimum", readNumber],
  ["maxLength", readCount],
  ["minLength", readCount],
  ["pattern", readPatternText],
  ["maxItems", readCount],
  ["minItems", readCount],
  ["minContains", readCount],
  ["maxContains", readCount],
  ["maxProperties", readCount],
  ["minProperties", readCount],
  ["required", readNames],
]);
