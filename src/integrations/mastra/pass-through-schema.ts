import type { StandardSchemaWithJSON } from "@mastra/core/schema";
import type { JsonSchema } from "../../types/json.ts";

/** Accepts every value, because the session validates and records refusals. */
export const passThroughSchema = <Value>(schema: JsonSchema): StandardSchemaWithJSON<Value> => {
  const copy = () => structuredClone(schema) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: (value) => ({ value: value as Value }),
      jsonSchema: { input: copy, output: copy },
    },
  };
};
