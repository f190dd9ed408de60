import { asSchema, type FlexibleSchema } from "ai";
import { isStandardSchema, type StandardSchema } from "../../base/schema/standard-schema.ts";
import type { JsonSchema } from "../../types/json.ts";

/** A schema of the AI SDK as Haft reads it, and what is left for its own library to judge. */
interface ImportedSchema {
  readonly schema: JsonSchema | StandardSchema;
  readonly parse: (value: unknown) => Promise<unknown>;
}

/**
 * Any form that the AI SDK takes. Where a schema may judge in its own time, Haft goes by its JSON Schema, and it judges
 * when the tool runs. Nothing if the JSON Schema itself is yet to come: a tool says what it takes when it is defined.
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
