import type { JsonSchema } from "../../types/json.ts";
import { checkPattern } from "./pattern-matcher.ts";
import { subschemas } from "./plain/schema-dialect.ts";

/** Shortens a generated schema for the model. The library still validates the value. */
export const simplifySchema = (schema: JsonSchema): JsonSchema =>
  inlineRoot(simplifyNode(schema) as JsonSchema);

const simplifyNode = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) result[keyword] = simplifyKeyword(keyword, value);
  dropNoise(result);
  return flatten(flatten(result, "anyOf"), "allOf");
};

const simplifyKeyword = (keyword: string, value: unknown): unknown => {
  // Relaxing inside `not` or `if` would refuse more.
  const place = keyword === "not" || keyword === "if" ? undefined : subschemas.get(keyword);
  if (place === "one") return simplifyNode(value);
  if (place === "list" && Array.isArray(value)) return value.map(simplifyNode);
  if (place === "map" && typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, simplifyNode(each)]));
  }
  return value;
};

const dropNoise = (schema: Record<string, unknown>): void => {
  if (schema.additionalProperties === true) delete schema.additionalProperties;
  if (isOnly(schema.propertyNames, "type", "string")) delete schema.propertyNames;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // The format is clearer, and the library checks its own patterns.
  if (typeof schema.format === "string" || !isSupportedPattern(schema.pattern)) delete schema.pattern;
  if (Array.isArray(schema.anyOf)) schema.anyOf = schema.anyOf.filter((branch) => !isNonFinite(branch));
};

const isSupportedPattern = (pattern: unknown): boolean => {
  try {
    if (typeof pattern === "string") checkPattern(pattern, "");
    return true;
  } catch {
    return false;
  }
};

const isOnly = (schema: unknown, keyword: string, value: unknown): boolean =>
  typeof schema === "object" &&
  schema !== null &&
  Object.keys(schema).length === 1 &&
  (schema as JsonSchema)[keyword] === value;

/** Effect's encoding of numbers that JSON cannot hold. */
const isNonFinite = (branch: unknown): boolean => {
  const names = (branch as { readonly enum?: unknown } | null)?.enum;
  return Array.isArray(names) && names.join() === "Infinity,-Infinity,NaN";
};

/** Only without a common keyword. */
const flatten = (schema: Record<string, unknown>, keyword: "anyOf" | "allOf"): Record<string, unknown> => {
  const branches = schema[keyword];
  if (!Array.isArray(branches) || branches.length !== 1) return schema;
  const { [keyword]: _, ...rest } = schema;
  const only: unknown = branches[0];
  if (typeof only !== "object" || only === null) return schema;
  return Object.keys(only).some((each) => each in rest) ? schema : { ...only, ...rest };
};

/** Providers require an object at the root. */
const inlineRoot = (schema: JsonSchema): JsonSchema => {
  const { $ref, $defs, ...rest } = schema;
  if (
    typeof $ref !== "string" ||
    !$ref.startsWith("#/$defs/") ||
    typeof $defs !== "object" ||
    $defs === null
  ) {
    return schema;
  }
  const name = $ref.slice("#/$defs/".length);
  const target = ($defs as JsonSchema)[name];
  if (typeof target !== "object" || target === null || Object.keys(target).some((each) => each in rest)) {
    return schema;
  }
  const { [name]: _, ...others } = $defs as JsonSchema;
  const inlined = { ...rest, ...target, ...(Object.keys(others).length === 0 ? {} : { $defs: others }) };
  return JSON.parse(JSON.stringify(inlined).replaceAll(`"$ref":${JSON.stringify($ref)}`, '"$ref":"#"'));
};
