import type { JsonObject } from "../../../base/json/json-value.ts";
import { checkPattern } from "../../../base/schema/pattern-matcher.ts";
import { schemaLimits } from "../../../base/schema/plain/plain-schema.ts";
import { headOf } from "../../../base/text/cut-text.ts";
import type { ReportLoss } from "../operation.ts";

type ReadKeyword = (value: unknown) => unknown;

const maxTextLength = 1_000;
const maxExampleLength = 200;

/** Untrusted text without invisible characters. */
export const boundedText = (value: unknown, longest = maxTextLength): string | undefined => {
  if (typeof value !== "string") return undefined;
  // Truncated first: a long text may occur thousands of times.
  const text = withoutInvisible(value.slice(0, longest * 4).toWellFormed())
    .replace(/[^\S\n]+/g, " ")
    .trim();
  if (text === "") return undefined;
  return text.length > longest || value.length > longest * 4 ? `${headOf(text, longest - 1)}…` : text;
};

/** Models read them, people do not see them. */
export const withoutInvisible = (text: string): string =>
  text.replace(
    /(?![\n\t\r])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (character) => (/[\p{Zl}\p{Zp}]/u.test(character) ? " " : ""),
  );

const typeAliases: Readonly<Record<string, string>> = {
  int: "integer",
  int32: "integer",
  int64: "integer",
  long: "integer",
  float: "number",
  double: "number",
  decimal: "number",
  bool: "boolean",
  date: "string",
  datetime: "string",
  "date-time": "string",
  uuid: "string",
  text: "string",
  file: "string",
  enum: "string",
  list: "array",
  dict: "object",
  map: "object",
  hash: "object",
};

const jsonTypes: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

const typeByName = (name: unknown): string | undefined => {
  if (jsonTypes.has(name)) return name as string;
  const lower = typeof name === "string" ? name.toLowerCase() : "";
  if (jsonTypes.has(lower)) return lower;
  return Object.hasOwn(typeAliases, lower) ? typeAliases[lower] : undefined;
};

export const schemaTypesOf = (
  schema: JsonObject,
  pointer: string,
  reportLoss: ReportLoss,
): readonly string[] => {
  if (schema.type === undefined) return [];
  const given: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const found = given.map(typeByName);
  for (const [index, name] of given.entries()) {
    if (jsonTypes.has(name) || name === "file") continue;
    const as = found[index] === undefined ? "left open" : `read as "${found[index]}"`;
    reportLoss(
      `${pointer}/type`,
      `The type ${smallJsonOf(name)?.slice(0, 40) ?? "given"} is not a JSON Schema type; it is ${as}.`,
    );
  }
  if (found.includes(undefined)) return [];
  return [...new Set(found as string[])];
};

/** Remaining characters. */
export interface TextBudget {
  text: number;
}

const maxValueDepth = 32;
const maxJsonLength = 64 * 1024;

/**
 * Undefined if invalid, cyclic or too large. Measured first, because YAML aliases can expand without limit.
 */
export const smallJsonOf = (value: unknown, budget?: TextBudget): string | undefined => {
  const own = { text: Math.min(maxJsonLength, budget?.text ?? maxJsonLength) };
  const most = own.text;
  if (!isSmall(value, own, 0)) return undefined;
  if (budget !== undefined) budget.text -= most - own.text;
  return JSON.stringify(value);
};

const isSmall = (value: unknown, budget: TextBudget, depth: number): boolean => {
  budget.text -= typeof value === "string" ? value.length + 2 : 2;
  if (budget.text < 0 || depth > maxValueDepth) return false;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every((each) => isSmall(each, budget, depth + 1));
  for (const key in value) {
    budget.text -= key.length + 3;
    if (key === "__proto__" || key === "toJSON") return false;
    if (!isSmall((value as Record<string, unknown>)[key], budget, depth + 1)) return false;
  }
  return true;
};

const readNumber: ReadKeyword = (value) => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
};

const readCount: ReadKeyword = (value) => {
  const read = readNumber(value);
  return Number.isInteger(read) && (read as number) >= 0 ? read : undefined;
};

const maxNames = 2_000;

const readNames: ReadKeyword = (value) =>
  Array.isArray(value) && value.length <= maxNames && value.every((name) => typeof name === "string")
    ? [...new Set(value)]
    : undefined;

const readWord: ReadKeyword = (value) =>
  typeof value === "string" && value.length <= 200 ? value : undefined;

const readFlag: ReadKeyword = (value) => (value === true ? true : undefined);

export const plainKeywords: Readonly<Record<string, ReadKeyword>> = {
  title: (value) => boundedText(value, 200),
  format: readWord,
  multipleOf: (value) => ((readNumber(value) as number) > 0 ? readNumber(value) : undefined),
  minimum: readNumber,
  maximum: readNumber,
  minLength: readCount,
  maxLength: readCount,
  minItems: readCount,
  maxItems: readCount,
  uniqueItems: readFlag,
  minProperties: readCount,
  maxProperties: readCount,
  minContains: readCount,
  maxContains: readCount,
  required: readNames,
  deprecated: readFlag,
  contentEncoding: readWord,
  contentMediaType: readWord,
};

/** Before 3.1, a flag makes a bound exclusive. */
export const readBounds = (schema: JsonObject, pointer: string, reportLoss: ReportLoss): JsonObject => {
  const bounds: Record<string, unknown> = {};
  for (const [limit, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    const at = readNumber(schema[limit]);
    const out = schema[exclusive];
    if (out === true && at !== undefined) bounds[exclusive] = at;
    else {
      if (at !== undefined) bounds[limit] = at;
      const beyond = readNumber(out);
      if (beyond !== undefined) bounds[exclusive] = beyond;
      else if (out !== undefined && typeof out !== "boolean")
        reportLoss(`${pointer}/${exclusive}`, `Its ${exclusive} cannot be read and is omitted.`);
    }
  }
  return bounds;
};

/** YAML reads `1` and `true` where strings were meant. */
export const readEnum = (
  schema: JsonObject,
  kinds: readonly string[],
  pointer: string,
  reportLoss: ReportLoss,
  budget: TextBudget,
): readonly unknown[] | undefined => {
  if (!Array.isArray(schema.enum) || schema.enum.length === 0) return undefined;
  if (schema.enum.length > schemaLimits.enumValues) {
    reportLoss(`${pointer}/enum`, `It lists more than ${schemaLimits.enumValues} values, which are omitted.`);
    return undefined;
  }
  const isNullable = schema.nullable === true || kinds.includes("null");
  const seen = new Map<string, unknown>();
  for (const each of schema.enum) {
    const value = coerceToKind(each, kinds);
    const text = value === undefined ? undefined : smallJsonOf(value, budget);
    if (text === undefined) {
      reportLoss(
        `${pointer}/enum`,
        "It lists a value that is not JSON or too large, so its values are omitted.",
      );
      return undefined;
    }
    seen.set(text, value);
  }
  if (isNullable) seen.set("null", null);
  return [...seen.values()];
};

const coerceToKind = (value: unknown, kinds: readonly string[]): unknown => {
  const [kind] = kinds;
  if (kinds.length !== 1 || value === null || typeof value === "object") return value;
  if (kind === "string") return String(value);
  if (kind === "boolean" && (value === "true" || value === "false")) return value === "true";
  if ((kind === "integer" || kind === "number") && typeof value === "string")
    return readNumber(value) ?? value;
  return value;
};

/** Must match in linear time; others are only described to the model. */
export const readLinearPattern = (
  schema: JsonObject,
  pointer: string,
  reportLoss: ReportLoss,
): string | undefined => {
  const { pattern } = schema;
  if (typeof pattern !== "string" || pattern === "") return undefined;
  try {
    checkPattern(pattern, pointer);
    return pattern;
  } catch {
    reportLoss(
      `${pointer}/pattern`,
      "The pattern cannot be checked; it is only mentioned in the description.",
    );
    return undefined;
  }
};

export const readExamples = (schema: JsonObject): readonly unknown[] | undefined => {
  const given = Array.isArray(schema.examples)
    ? schema.examples
    : "example" in schema
      ? [schema.example]
      : [];
  const short = given.filter((value: unknown) => {
    const text = smallJsonOf(value);
    return text !== undefined && text.length <= maxExampleLength;
  });
  return short.length === 0 ? undefined : short.slice(0, 3);
};
