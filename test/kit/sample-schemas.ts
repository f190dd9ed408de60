import type { JsonSchema } from "../../src/types/json.ts";

export const closedObject = (
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
export const openObject = (
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): JsonSchema => ({
  type: "object",
  properties,
  required,
});
export const textSchema = { type: "string" };
export const integerSchema = { type: "integer" };
export const numberSchema = { type: "number" };
export const circleSchema = closedObject({ kind: { const: "circle" }, radius: numberSchema }, [
  "kind",
  "radius",
]);
export const squareSchema = closedObject({ kind: { const: "square" }, side: numberSchema }, ["kind", "side"]);
export const treeSchema = (value: unknown, required: readonly string[] = []): JsonSchema => ({
  $ref: "#/$defs/tree",
  $defs: {
    tree: openObject({ value, children: { type: "array", items: { $ref: "#/$defs/tree" } } }, required),
  },
});
export const jsonSchema = {
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
