import type { JsonSchema } from "../../../types/json.ts";
import { isSchema } from "../schema/rewrite-schema.ts";

export const namedTypesOf = (schema: JsonSchema): readonly string[] => {
  if (typeof schema.type === "string") return [schema.type];
  if (Array.isArray(schema.type)) return schema.type;
  const values = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : [];
  const types = values.map((value) => {
    if (value === null) return "null";
    if (Array.isArray(value)) return "array";
    return typeof value;
  });
  return [...new Set(types)];
};

export const acceptsNull = (schema: unknown): boolean => {
  if (!isSchema(schema)) return schema === true;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(acceptsNull);
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return false;
  if ("const" in schema && schema.const !== null) return false;
  return namedTypesOf(schema).includes("null");
};

export const nullable = (schema: JsonSchema): JsonSchema => {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: "null" }] };
  const types = namedTypesOf(schema);
  const isPlain = !("const" in schema) && !("$ref" in schema);
  if (isPlain && !types.includes("object") && !types.includes("array")) {
    const listed = Array.isArray(schema.enum) ? { enum: [...new Set([...schema.enum, null])] } : {};
    return { ...schema, type: types.includes("null") ? types : [...types, "null"], ...listed };
  }
  const { description, ...inner } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [inner, { type: "null" }] };
};
