import { asSchema, type FlexibleSchema } from "ai";
import { isStandardSchema, type StandardSchema } from "../../base/schema/standard-schema.ts";
import type { JsonSchema } from "../../types/json.ts";

interface ImportedSchema {
  readonly schema: JsonSchema | StandardSchema;
  readonly parse: (value: unknown) => Promise<unknown>;
}

/**
 * If validation may be asynchronous, Haft uses the JSON Schema, and `parse` runs with the tool. Undefined if
 * the JSON Schema is a promise.
 */
export const importSchema = (source: FlexibleSchema): ImportedSchema | undefined => {
  if (isStandardSchema(source) && source["~standard"].jsonSchema !== undefined) {
    return { schema: source, parse: async (value) => value };
  }
  const { jsonSchema, validate } = asSchema(source);
  if ("then" in jsonSchema && typeof jsonSchema.then === "function") return undefined;
  const { $schema: _, ...schema } = jsonSchema as JsonSchema;
  const parse = async (value: unknown): Promise<unknown> => {
    const validated = (await validate?.(value)) ?? { success: true, value };
    if (!validated.success) throw validated.error;
    return validated.value;
  };
  return { schema, parse };
};
