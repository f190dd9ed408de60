import type { JsonSchema } from "../../../types/json.ts";

const hintKeywords = new Set([
  "default",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maximum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minimum",
  "minItems",
  "minLength",
  "minProperties",
  "multipleOf",
  "pattern",
  "uniqueItems",
]);

const maxHintLength = 200;

/** Repeats unsupported keywords in the description. */
export const withHints = (schema: JsonSchema, source: JsonSchema, lost: readonly string[]): JsonSchema => {
  let hints = "";
  for (const keyword of lost) {
    if (!hintKeywords.has(keyword)) continue;
    const value = source[keyword];
    const text = typeof value === "number" ? String(value) : JSON.stringify(value);
    if (text.length <= maxHintLength) hints += `${hints === "" ? "" : "; "}${keyword}: ${text}`;
  }
  if (hints === "") return schema;
  const hint = `(${hints})`;
  const { description } = schema;
  return {
    ...schema,
    description: typeof description === "string" && description !== "" ? `${description} ${hint}` : hint,
  };
};
