import type { JsonSchema } from "../words/json.ts";

/** The forms that settings are made of, each with its default. */
export const count = (fallback: number, minimum = 1): JsonSchema => ({
  type: "integer",
  minimum,
  default: fallback,
});
export const flag = (fallback: boolean): JsonSchema => ({ type: "boolean", default: fallback });
export const words = (fallback: readonly string[]): JsonSchema => ({
  type: "array",
  items: { type: "string", minLength: 1 },
  default: fallback,
});
export const list = (choices: readonly string[], fallback: readonly string[]): JsonSchema => ({
  type: "array",
  items: { enum: choices },
  default: fallback,
});
export const limit: JsonSchema = { type: "integer", minimum: 1 };
export const group = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  default: {},
});

/** What the forms say where nothing is set. */
export const defaultsIn = (form: JsonSchema): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  const properties = (form.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  for (const [name, each] of Object.entries(properties)) {
    if (each.properties !== undefined) values[name] = defaultsIn(each);
    else if (each.default !== undefined) values[name] = structuredClone(each.default);
  }
  return values;
};
