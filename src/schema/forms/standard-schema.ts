import type { JsonSchema } from "../../words/json.ts";
import { acceptedForms, refuse } from "../refuse.ts";
import type { StandardSchema, StandardValidate } from "../standard.ts";
import { tidy } from "../tidy.ts";
import { isValibotSchema, readValibotSchema } from "./valibot-schema.ts";

/** A library's schema, by the JSON Schema it says it has. */
export const readStandardSchema = (
  source: StandardSchema,
  side: "input" | "output",
): { readonly schema: JsonSchema; readonly standard: StandardValidate } => {
  const { vendor, validate } = source["~standard"];
  return { schema: tidy(toJsonSchema(source, side)), standard: { vendor, validate } };
};

const toJsonSchema = (source: StandardSchema, side: "input" | "output"): JsonSchema => {
  const { vendor, jsonSchema } = source["~standard"];
  if (jsonSchema === undefined) {
    if (isValibotSchema(source)) return readValibotSchema(source, side);
    return refuse(
      `The ${side} schema of "${vendor}" has no Standard JSON Schema ("~standard".jsonSchema), so no model could be told what to send. Use a version of ${vendor} that has it, or its converter. ${acceptedForms}`,
    );
  }
  try {
    return jsonSchema[side]({ target: "draft-2020-12" });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return refuse(
      `${vendor} cannot say the ${side} schema in JSON: ${why}. A tool's ${side} is JSON; use types that JSON has.`,
      "refused_schema",
      cause,
    );
  }
};
