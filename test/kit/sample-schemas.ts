import type { JsonSchema } from "../../src/words/json.ts";

export const closed = (
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
export const open = (properties: Record<string, unknown>, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});
export const text = { type: "string" };
export const whole = { type: "integer" };
export const number = { type: "number" };
export const circle = closed({ kind: { const: "circle" }, radius: number }, ["kind", "radius"]);
export const square = closed({ kind: { const: "square" }, side: number }, ["kind", "side"]);
export const tree = (value: unknown, required: readonly string[] = []): JsonSchema => ({
  $ref: "#/$defs/tree",
  $defs: {
    tree: open({ value, children: { type: "array", items: { $ref: "#/$defs/tree" } } }, required),
  },
});
export const json = {
  $ref: "#/$defs/json",
  $defs: {
    json: {
      anyOf: [
        { type: ["null", "boolean", "number", "string"] },
        { type: "array", items: { $ref: "#/$defs/json" } },
        { type: "object", additionalProperties: { $ref: "#/$defs/json" } },
      ],
    },
  },
};
export const draft07 = (schema: JsonSchema): JsonSchema => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  ...schema,
});
