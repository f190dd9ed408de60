import type { JsonSchema } from "../../../types/json.ts";

/**
 * The schema, with names that it does not take. They are not among its properties, where a model would read them as
 * something to fill in, and are no unknown ones either, which an open object takes with any value.
 */
export const withForbiddenNames = (schema: JsonSchema, names: ReadonlySet<string>): JsonSchema => {
  if (names.size === 0) return schema;
  const refused = { not: { enum: [...names] } };
  const { propertyNames: before } = schema;
  return { ...schema, propertyNames: before === undefined ? refused : { allOf: [before, refused] } };
};
