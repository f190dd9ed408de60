import type { JsonSchema } from "../../../types/json.ts";

/** Not listed as properties, where a model might fill them in. */
export const withForbiddenNames = (schema: JsonSchema, names: ReadonlySet<string>): JsonSchema => {
  if (names.size === 0) return schema;
  const refused = { not: { enum: [...names] } };
  const { propertyNames: before } = schema;
  return { ...schema, propertyNames: before === undefined ? refused : { allOf: [before, refused] } };
};
