import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { copyJson } from "../../../base/json/copy-json.ts";
import type { JsonReading } from "../../../base/json/json-problem.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { Json } from "../../../types/json.ts";
import type { NumberValue, PlainNumber, Scalar, TaggedValue, Value } from "../document.ts";
import type { Shape } from "../signature-types.ts";

/** Text tagged `json` is parsed. */
export type ValueJson = { readonly json: Json } | { readonly why: string };

export const valueToJson = (value: Value): ValueJson => {
  switch (value.kind) {
    case "array":
      return combineJson(value.items.map(valueToJson), (items) => items);
    case "map": {
      const keys = value.entries.map(({ key }) => key);
      if (new Set(keys).size < keys.length) return { why: "has a key twice" };
      if (keys.includes("__proto__")) return { why: 'has the key "__proto__"' };
      return combineJson(
        value.entries.map((entry) => valueToJson(entry.value)),
        (members) => Object.fromEntries(members.map((member, index) => [value.entries[index]!.key, member])),
      );
    }
    case "tagged":
      return value.tag.toLowerCase() === "json" ? jsonOfText(value) : { json: value.value };
    case "string":
    case "boolean":
      return { json: value.value };
    case "symbol":
      return { json: value.name };
    case "range":
      return { why: "is a range, which JSON does not have" };
    case "measurement":
      return { why: `has the unit "${value.unit}", which JSON does not have` };
    default:
      return jsonOfNumber(value);
  }
};

const combineJson = (parts: readonly ValueJson[], build: (all: readonly Json[]) => Json): ValueJson => {
  const all: Json[] = [];
  for (const part of parts) {
    if (!("json" in part)) return part;
    all.push(part.json);
  }
  return { json: build(all) };
};

const jsonOfText = ({ value }: TaggedValue): ValueJson => {
  const reading = readWrittenJson(value);
  return reading.ok
    ? { json: reading.value as Json }
    : { why: `is tagged json but is not valid JSON: ${reading.problem.message.replace(/\.$/, "")}` };
};

/** Schemas may be larger than other JSON. */
export const schemaJsonLimits = { maxLength: 64 * 1024 * 1024, maxDepth: 300 };

/** Also accepts the output of `JSON.stringify`, whose large numbers the strict reader refuses. */
export const readWrittenJson = (text: string): JsonReading => {
  const reading = readJson(text, schemaJsonLimits);
  if (reading.ok) return reading;
  try {
    const value: unknown = JSON.parse(text);
    const copy = copyJson(value, schemaJsonLimits);
    if (copy.ok && isStringifyOutput(text, value)) return copy;
  } catch {}
  return reading;
};

const isStringifyOutput = (text: string, value: unknown): boolean =>
  [0, 2].some((indent) => normalizedText(JSON.stringify(value, null, indent)) === normalizedText(text));

const normalizedText = (text: string): string => text.replaceAll("\\u0060", "`").trim();

const jsonOfNumber = (value: PlainNumber): ValueJson => {
  const { kind, text } = value;
  const number = numberOf(value);
  if (Number.isFinite(number) && (kind === "decimal" || isExact(text, number))) return { json: number };
  return { why: `is ${text.slice(0, 40)}, and JSON would change its digits` };
};

/** Precision may be lost. */
export const numberOf = (value: NumberValue): number => {
  if (value.kind === "measurement") return Number(value.amount);
  return value.kind === "octal" ? Number.parseInt(value.text, 8) : Number(value.text);
};

const isExact = (text: string, number: number): boolean =>
  Number.isSafeInteger(number) || (/^-?[1-9]/.test(text) && BigInt(text) === BigInt(number));

/** Native where possible, else text tagged `json`. */
export const jsonToValue = (json: Json): Value => {
  if (Array.isArray(json)) {
    const items = json.map(scalarOf);
    return items.length > 0 && items.every((item) => item !== undefined)
      ? { kind: "array", items }
      : taggedJson(json);
  }
  if (typeof json === "object" && json !== null) {
    const entries = Object.entries(json).map(([key, member]) => ({ key, value: scalarOf(member) }));
    return entries.every((entry): entry is { key: string; value: Scalar } => entry.value !== undefined)
      ? { kind: "map", entries }
      : taggedJson(json);
  }
  return scalarOf(json) ?? taggedJson(json);
};

const scalarOf = (json: Json): Scalar | undefined => {
  if (typeof json === "string") return { kind: "string", value: json };
  if (typeof json === "boolean") return { kind: "boolean", value: json };
  return typeof json === "number" ? numberValue(json) : undefined;
};

const taggedJson = (json: Json): TaggedValue => ({ kind: "tagged", tag: "json", value: jsonText(json) });

export const jsonFence = (json: Json): TaggedValue => ({
  kind: "tagged",
  tag: "json",
  value: `${jsonText(json, 2)}\n`,
  style: "fenced",
});

/** Without backticks the text fits any quotation. */
const jsonText = (json: Json, indent = 0): string =>
  JSON.stringify(json, null, indent).replaceAll("`", "\\u0060");

/** Gram has no exponents. */
const numberValue = (number: number): PlainNumber => {
  if (Number.isInteger(number)) return { kind: "integer", text: BigInt(number).toString() };
  const [digits, exponent] = String(number).split("e-") as [string, string | undefined];
  if (exponent === undefined) return { kind: "decimal", text: digits };
  const minus = digits.startsWith("-") ? "-" : "";
  const bare = digits.replace(/[-.]/g, "");
  return { kind: "decimal", text: `${minus}0.${"0".repeat(Number(exponent) - 1)}${bare}` };
};

/** Patterns and formats are left to the validator. */
export const isOfShape = (shape: Omit<Shape, "description">, value: Json): boolean => {
  if (value === null) return shape.nullable === true || shape.type === "null";
  if (shape.enum !== undefined && !shape.enum.some((each) => canonicalJson(each) === canonicalJson(value))) {
    return false;
  }
  if (typeof value === "number") {
    if (shape.minimum !== undefined && value < shape.minimum) return false;
    if (shape.maximum !== undefined && value > shape.maximum) return false;
  }
  return isOfSimpleType(shape.type, value);
};

const isOfSimpleType = (type: Shape["type"], value: Json): boolean => {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && !Array.isArray(value);
    case "null":
      return false;
    default:
      return isOfStructure(type, value);
  }
};

const isOfStructure = (type: Exclude<Shape["type"], string>, value: Json): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if ("list" in type) return Array.isArray(value) && value.every((item) => isOfShape(type.list, item));
  if (Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: Json };
  const isKnown = Object.keys(members).every((key) => type.record.some((field) => field.name === key));
  return (
    isKnown &&
    type.record.every((field) => {
      const member = Object.hasOwn(members, field.name) ? members[field.name] : undefined;
      return member === undefined ? field.optional : isOfShape(field, member);
    })
  );
};
