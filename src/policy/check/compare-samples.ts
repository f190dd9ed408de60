import { isSameJson, type JsonObject } from "../../base/json/json-value.ts";

/** A proof is needed only without this evidence. */
export interface SampleComparison {
  /** A value fits both schemas. */
  readonly overlaps: boolean;
  /** A value fits only the first schema. */
  readonly differs: boolean;
}

const noEvidence: SampleComparison = { overlaps: false, differs: false };

export const compareSamples = (given: JsonObject, condition: JsonObject): SampleComparison => {
  if (!isSimple(given) || !isSimple(condition)) return noEvidence;
  const fitting = [...sampleValuesOf(given), ...sampleValuesOf(condition)].filter((value) =>
    fitsSchema(given, value),
  );
  return {
    overlaps: fitting.some((value) => fitsSchema(condition, value)),
    differs: fitting.some((value) => !fitsSchema(condition, value)),
  };
};

const annotationKeywords = new Set(["title", "description", "default", "examples", "deprecated", "$comment"]);
const simpleKeywords = new Set([
  "type",
  "const",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
]);

const isSimple = (schema: JsonObject): boolean =>
  Object.keys(schema).every((keyword) => simpleKeywords.has(keyword) || annotationKeywords.has(keyword));

const sampleValuesOf = (schema: JsonObject): readonly unknown[] => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum];
  return [
    ...("const" in schema ? [schema.const] : []),
    ...(Array.isArray(schema.enum) ? schema.enum.slice(0, 20) : []),
    ...bounds.flatMap((bound) => (typeof bound === "number" ? [bound, bound - 1, bound + 1] : [])),
    ...[schema.minLength, schema.maxLength].flatMap((length) =>
      typeof length === "number" && length < 1_000 ? ["x".repeat(length)] : [],
    ),
    0,
    "",
    true,
  ];
};

const fitsSchema = (schema: JsonObject, value: unknown): boolean => {
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(type, value))) return false;
  if ("const" in schema && !isSameJson(schema.const, value)) return false;
  if (Array.isArray(schema.enum) && !schema.enum.some((each) => isSameJson(each, value))) return false;
  if (typeof value === "number") {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Readonly<
      Record<string, number>
    >;
    return (
      !(value < minimum!) &&
      !(value > maximum!) &&
      !(value <= exclusiveMinimum!) &&
      !(value >= exclusiveMaximum!)
    );
  }
  if (typeof value !== "string") return true;
  const { minLength, maxLength } = schema as Readonly<Record<string, number>>;
  const length = [...value].length;
  return !(length < minLength!) && !(length > maxLength!);
};

const isOfType = (type: unknown, value: unknown): boolean =>
  type === "integer"
    ? Number.isInteger(value)
    : type === (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
