import type { JsonSchema } from "../../types/json.ts";

export const textField = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: "string",
  description,
  ...more,
});
export const integerField = (description: string, minimum: number, maximum?: number): JsonSchema => ({
  type: "integer",
  description,
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});
export const booleanField = (description: string): JsonSchema => ({ type: "boolean", description });
export const enumField = (description: string, values: readonly string[]): JsonSchema => ({
  type: "string",
  description,
  enum: values,
});
export const listField = (items: JsonSchema, description: string): JsonSchema => ({
  type: "array",
  items,
  description,
});

export const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

export const pathField = textField(
  "Path of the file, such as notes/today.md. It is relative to the first granted folder.",
  {
    minLength: 1,
  },
);
