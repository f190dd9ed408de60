import type { JsonSchema } from "../../words/json.ts";

const tellable = new Set([
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

const longest = 200;

/** Tells in words what a provider takes no keyword for, so that a model still reads it. */
export const withHints = (schema: JsonSchema, source: JsonSchema, lost: readonly string[]): JsonSchema => {
  const hints: string[] = [];
  for (const keyword of lost) {
    if (!tellable.has(keyword)) continue;
    const value = JSON.stringify(source[keyword]);
    if (value.length <= longest) hints.push(`${keyword}: ${value}`);
  }
  if (hints.length === 0) return schema;
  const hint = `(${hints.join("; ")})`;
  const { description } = schema;
  return {
    ...schema,
    description: typeof description === "string" && description !== "" ? `${description} ${hint}` : hint,
  };
};
