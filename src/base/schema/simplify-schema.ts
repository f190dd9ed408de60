import type { JsonSchema } from "../../types/json.ts";
import { checkPattern } from "./pattern-matcher.ts";
import { subschemas } from "./plain/schema-dialect.ts";

/**
 * Says what a library generated in fewer words: a model reads it, and the library itself has the last word
 * about the value. What a person wrote is never tidied.
 */
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
  // To say less where a schema is turned around would be to refuse more.
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
  // The format says it better; and a pattern that cannot be judged in linear time is the library's own to judge.
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

/** How Effect spells the numbers that JSON does not have. */
const isNonFinite = (branch: unknown): boolean => {
  const names = (branch as { readonly enum?: unknown } | null)?.enum;
  return Array.isArray(names) && names.join() === "Infinity,-Infinity,NaN";
};

/** A choice of one is no choice, unless the two sides say different things by the same keyword. */
const flatten = (schema: Record<string, unknown>, keyword: "anyOf" | "allOf"): Record<string, unknown> => {
  const branches = schema[keyword];
  if (!Array.isArray(branches) || branches.length !== 1) return schema;
  const { [keyword]: _, ...rest } = schema;
  const only: unknown = branches[0];
  if (typeof only !== "object" || only === null) return schema;
  return Object.keys(only).some((each) => each in rest) ? schema : { ...only, ...rest };
};

/** A root that only points at a definition becomes that definition: providers want an object there. */
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
