import type { JsonSchema } from "../../../types/json.ts";

const supportedKeywords = new Set([
  "$defs",
  "$ref",
  "additionalProperties",
  "anyOf",
  "const",
  "description",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "items",
  "maximum",
  "maxItems",
  "minimum",
  "minItems",
  "multipleOf",
  "pattern",
  "properties",
  "required",
  "title",
  "type",
]);

const supportedFormats = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uuid",
]);

const lookaround = /\(\?<?[=!]|\\[1-9]|\\k</;

export const isStrictSupported = (schema: JsonSchema, keyword: string): boolean => {
  const value = schema[keyword];
  if (keyword === "format") return supportedFormats.has(value as string);
  if (keyword === "pattern") return typeof value === "string" && !lookaround.test(value);
  return supportedKeywords.has(keyword);
};

/** Dropping these keywords would forbid valid input. */
export const strictBlockers: ReadonlyMap<string, string> = new Map([
  ["allOf", "`allOf` is not taken"],
  ["dependentSchemas", "`dependentSchemas` is not taken"],
  ["dependencies", "`dependencies` is not taken"],
  ["if", "`if` is not taken"],
  ["patternProperties", "properties are named by a pattern"],
  ["prefixItems", "items are described one by one"],
]);
