import type { JsonSchema } from "../types/json.ts";

export const countSetting = (defaultValue: number, minimum = 1): JsonSchema => ({
  type: "integer",
  minimum,
  default: defaultValue,
});
export const booleanSetting = (defaultValue: boolean): JsonSchema => ({
  type: "boolean",
  default: defaultValue,
});
export const stringListSetting = (defaultValue: readonly string[]): JsonSchema => ({
  type: "array",
  items: { type: "string", minLength: 1 },
  default: defaultValue,
});
export const choiceListSetting = (
  choices: readonly string[],
  defaultValue: readonly string[],
): JsonSchema => ({
  type: "array",
  items: { enum: choices },
  default: defaultValue,
});
export const positiveIntegerSetting: JsonSchema = { type: "integer", minimum: 1 };
export const settingGroup = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  default: {},
});

export const defaultsOfSchema = (schema: JsonSchema): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  for (const [name, each] of Object.entries(properties)) {
    if (each.properties !== undefined) values[name] = defaultsOfSchema(each);
    else if (each.default !== undefined) values[name] = structuredClone(each.default);
  }
  return values;
};
