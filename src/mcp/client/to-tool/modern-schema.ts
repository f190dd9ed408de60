import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { subschemas } from "../../../base/schema/plain/schema-dialect.ts";
import type { JsonSchema } from "../../../types/json.ts";

const maxRewriteDepth = 64;

/** Rewrites draft-04 boolean `exclusiveMinimum` and OpenAPI `nullable`. */
export const modernizeSchema = (schema: JsonSchema): JsonSchema => {
  // Arguments and results are never null.
  const { nullable, ...whole } = schema;
  const modern = rewriteSchema(nullable === undefined ? schema : whole, 0);
  if (modern === schema) return schema;
  // In draft-04 the rewritten keywords have no meaning.
  const { $schema } = modern;
  return typeof $schema === "string" && draft04Pattern.test($schema)
    ? { ...modern, $schema: draft07Uri }
    : modern;
};

const draft04Pattern = /^https?:\/\/json-schema\.org\/draft-04\/schema#?$/;
const draft07Uri = "http://json-schema.org/draft-07/schema#";

const rewriteSchema = (schema: JsonObject, depth: number): JsonObject => {
  if (depth > maxRewriteDepth) return schema;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(schema)) {
    const before = schema[key];
    const after = rewriteKeyword(key, before, depth + 1);
    if (after === before) continue;
    copy ??= { ...schema };
    copy[key] = after;
  }
  return withNullType(withNumericBound(withNumericBound(copy ?? schema, "minimum"), "maximum"));
};

const rewriteIfObject = (value: unknown, depth: number): unknown =>
  isObject(value) ? rewriteSchema(value, depth) : value;

/** Only in subschemas: values in `enum` or `default` may look like schemas. */
const rewriteKeyword = (key: string, value: unknown, depth: number): unknown => {
  const kind = subschemas.get(key);
  if (kind === undefined) return value;
  if (Array.isArray(value))
    return keepIfSame(
      value,
      value.map((each) => rewriteIfObject(each, depth)),
    );
  if (!isObject(value) || kind !== "map") return rewriteIfObject(value, depth);
  const entries = Object.entries(value).map(([name, each]) => [name, rewriteIfObject(each, depth)] as const);
  return entries.every(([name, each]) => each === value[name]) ? value : Object.fromEntries(entries);
};

const keepIfSame = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((each, at) => each === before[at]) ? before : after;

const withNumericBound = (schema: JsonObject, bound: "minimum" | "maximum"): JsonObject => {
  const keyword = bound === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  const isExclusive = schema[keyword];
  if (typeof isExclusive !== "boolean") return schema;
  const { [keyword]: _, [bound]: limit, ...rest } = schema;
  if (limit === undefined) return rest;
  return isExclusive ? { ...rest, [keyword]: limit } : { ...rest, [bound]: limit };
};

const withNullType = (schema: JsonObject): JsonObject => {
  if (typeof schema.nullable !== "boolean") return schema;
  const { nullable, ...rest } = schema;
  if (!nullable || allowsNull(rest)) return rest;
  const { type, enum: values } = rest;
  if (rest.const !== undefined || hasCombinator(rest)) return { anyOf: [rest, { type: "null" }] };
  return {
    ...rest,
    ...(type === undefined ? {} : { type: [...(Array.isArray(type) ? type : [type]), "null"] }),
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
};

const hasCombinator = (schema: JsonObject): boolean =>
  ["$ref", "allOf", "anyOf", "oneOf", "not", "if"].some((keyword) => schema[keyword] !== undefined);

const allowsNull = ({ type }: JsonObject): boolean =>
  type === "null" || (Array.isArray(type) && type.includes("null"));
