import type { JsonObject } from "../../../json/is-object.ts";
import { limits } from "../../../schema/limits.ts";
import { checkPattern } from "../../../schema/pattern.ts";
import { headOf } from "../../../text/cut-text.ts";
import type { NoteLoss } from "../losses.ts";
import { jsonOf, type Room } from "./small-json.ts";

/** What a keyword of a document becomes; undefined where it says nothing that could be kept. */
type Read = (value: unknown) => unknown;

const longestText = 1_000;
const longestExample = 200;

/** Foreign text in bounds, without what a person would not see. */
export const toText = (value: unknown, longest = longestText): string | undefined => {
  if (typeof value !== "string") return undefined;
  // Cut before it is read: the same long text may stand in a thousand places.
  const text = withoutUnseen(value.slice(0, longest * 4).toWellFormed())
    .replace(/[^\S\n]+/g, " ")
    .trim();
  if (text === "") return undefined;
  return text.length > longest || value.length > longest * 4 ? `${headOf(text, longest - 1)}…` : text;
};

/** Without characters that a person does not see and a model reads: controls, zero width, and what turns text around. */
export const withoutUnseen = (text: string): string =>
  text.replace(
    /(?![\n\t\r])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (character) => (/[\p{Zl}\p{Zp}]/u.test(character) ? " " : ""),
  );

const aliases: Readonly<Record<string, string>> = {
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

const types: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);

const typeNamed = (name: unknown): string | undefined => {
  if (types.has(name)) return name as string;
  const lower = typeof name === "string" ? name.toLowerCase() : "";
  if (types.has(lower)) return lower;
  return Object.hasOwn(aliases, lower) ? aliases[lower] : undefined;
};

/** The types of a schema as a list; empty where it says none that is known. */
export const typesOf = (schema: JsonObject, pointer: string, note: NoteLoss): readonly string[] => {
  if (schema.type === undefined) return [];
  const given: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const found = given.map(typeNamed);
  for (const [index, name] of given.entries()) {
    if (types.has(name) || name === "file") continue;
    const as = found[index] === undefined ? "left open" : `taken for "${found[index]}"`;
    note(
      `${pointer}/type`,
      `The type ${jsonOf(name)?.slice(0, 40) ?? "given"} is none of JSON Schema's; it is ${as}.`,
    );
  }
  if (found.includes(undefined)) return [];
  return [...new Set(found as string[])];
};

const number: Read = (value) => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
};

const count: Read = (value) => {
  const read = number(value);
  return Number.isInteger(read) && (read as number) >= 0 ? read : undefined;
};

const mostNames = 2_000;

const names: Read = (value) =>
  Array.isArray(value) && value.length <= mostNames && value.every((name) => typeof name === "string")
    ? [...new Set(value)]
    : undefined;

const word: Read = (value) => (typeof value === "string" && value.length <= 200 ? value : undefined);

const flag: Read = (value) => (value === true ? true : undefined);

/** Keywords that mean the same in every version, once their value is one. */
export const plainKeywords: Readonly<Record<string, Read>> = {
  title: (value) => toText(value, 200),
  format: word,
  multipleOf: (value) => ((number(value) as number) > 0 ? number(value) : undefined),
  minimum: number,
  maximum: number,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
  minContains: count,
  maxContains: count,
  required: names,
  deprecated: flag,
  contentEncoding: word,
  contentMediaType: word,
};

/** The limits of a number: OpenAPI 3.0 and Swagger 2 say with a flag that a limit itself is out. */
export const readBounds = (schema: JsonObject, pointer: string, note: NoteLoss): JsonObject => {
  const bounds: Record<string, unknown> = {};
  for (const [limit, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    const at = number(schema[limit]);
    const out = schema[exclusive];
    if (out === true && at !== undefined) bounds[exclusive] = at;
    else {
      if (at !== undefined) bounds[limit] = at;
      const beyond = number(out);
      if (beyond !== undefined) bounds[exclusive] = beyond;
      else if (out !== undefined && typeof out !== "boolean")
        note(`${pointer}/${exclusive}`, `Its ${exclusive} cannot be read and is not carried.`);
    }
  }
  return bounds;
};

/** Values of an enum, as the type has them: YAML reads `1` and `true` where a string was meant. */
export const readEnum = (
  schema: JsonObject,
  kinds: readonly string[],
  pointer: string,
  note: NoteLoss,
  room: Room,
): readonly unknown[] | undefined => {
  if (!Array.isArray(schema.enum) || schema.enum.length === 0) return undefined;
  if (schema.enum.length > limits.enumValues) {
    note(`${pointer}/enum`, `It lists more than ${limits.enumValues} values, which are not carried.`);
    return undefined;
  }
  const isNullable = schema.nullable === true || kinds.includes("null");
  const seen = new Map<string, unknown>();
  for (const each of schema.enum) {
    const value = asKind(each, kinds);
    const text = value === undefined ? undefined : jsonOf(value, room);
    if (text === undefined) {
      note(
        `${pointer}/enum`,
        "It lists a value that is none of JSON or too large, so its values are not carried.",
      );
      return undefined;
    }
    seen.set(text, value);
  }
  if (isNullable) seen.set("null", null);
  return [...seen.values()];
};

const asKind = (value: unknown, kinds: readonly string[]): unknown => {
  const [kind] = kinds;
  if (kinds.length !== 1 || value === null || typeof value === "object") return value;
  if (kind === "string") return String(value);
  if (kind === "boolean" && (value === "true" || value === "false")) return value === "true";
  if ((kind === "integer" || kind === "number") && typeof value === "string") return number(value) ?? value;
  return value;
};

/** A pattern that can be judged in linear time; what cannot is told to the model in words. */
export const readPattern = (schema: JsonObject, pointer: string, note: NoteLoss): string | undefined => {
  const { pattern } = schema;
  if (typeof pattern !== "string" || pattern === "") return undefined;
  try {
    checkPattern(pattern, pointer);
    return pattern;
  } catch {
    note(`${pointer}/pattern`, "The pattern cannot be judged here; it is only told in the description.");
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
    const text = jsonOf(value);
    return text !== undefined && text.length <= longestExample;
  });
  return short.length === 0 ? undefined : short.slice(0, 3);
};
