import { asSchema, type FlexibleSchema } from "ai";
import { isStandardSchema, type StandardSchema } from "../../schema/standard.ts";
import type { JsonSchema } from "../../words/json.ts";

/** A schema of the AI SDK as Haft reads it, and what is left for its own library to judge. */
interface ForeignSchema {
  readonly schema: JsonSchema | StandardSchema;
  readonly parse: (value: unknown) => Promise<unknown>;
}

/**
 * Any form that the AI SDK takes. Where a schema may judge in its own time, Haft goes by its JSON Schema, and it judges
 * when the tool runs. Nothing if the JSON Schema itself is yet to come: a tool says what it takes when it is defined.
 */
export const foreignSchema = (source: FlexibleSchema): ForeignSchema | undefined => {
  if (isStandardSchema(source) && source["~standard"].jsonSchema !== undefined) {
    return { schema: source, parse: async (value) => value };
  }
  const { jsonSchema, validate } = asSchema(source);
  if ("then" in jsonSchema && typeof jsonSchema.then === "function") return undefined;
  const { $schema: _, ...schema } = jsonSchema as JsonSchema;
  const parse = async (value: unknown): Promise<unknown> => {
    const judged = (await validate?.(value)) ?? { success: true, value };
    if (!judged.success) throw judged.error;
    return judged.value;
  };
  return { schema, parse };
};
