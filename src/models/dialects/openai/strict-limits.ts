import type { JsonSchema } from "../../../types/json.ts";
import { isSchema, mapSubschemas } from "../schema/rewrite-schema.ts";

const strictLimits = { properties: 5_000, levels: 10, enumValues: 1_000, characters: 120_000 };
const longEnumLimits = { values: 250, characters: 15_000 };

const lengthOf = (values: readonly unknown[]): number => {
  let length = 0;
  for (const value of values) if (typeof value === "string") length += value.length;
  return length;
};

export const strictSizeProblem = (schema: JsonSchema): string | undefined => {
  const count = { properties: 0, levels: 0, enumValues: 0, characters: 0 };
  let crowded = false;

  const visit = (value: unknown, level: number): void => {
    if (!isSchema(value)) return;
    const deeper = isSchema(value.properties) || value.items !== undefined ? level + 1 : level;
    count.levels = Math.max(count.levels, deeper);
    for (const named of [value.properties, value.$defs]) {
      if (isSchema(named)) count.characters += lengthOf(Object.keys(named));
    }
    if (isSchema(value.properties)) count.properties += Object.keys(value.properties).length;
    if (typeof value.const === "string") count.characters += value.const.length;
    if (Array.isArray(value.enum)) {
      const length = lengthOf(value.enum);
      count.enumValues += value.enum.length;
      count.characters += length;
      crowded ||= value.enum.length > longEnumLimits.values && length > longEnumLimits.characters;
    }
    mapSubschemas(value, "", (subschema) => {
      visit(subschema, deeper);
      return subschema;
    });
  };

  visit(schema, 0);
  if (count.properties > strictLimits.properties) return `more than ${strictLimits.properties} properties`;
  if (count.levels > strictLimits.levels)
    return `more than ${strictLimits.levels} levels of objects and arrays`;
  if (count.enumValues > strictLimits.enumValues) return `more than ${strictLimits.enumValues} enum values`;
  if (count.characters > strictLimits.characters)
    return `names and values of more than ${strictLimits.characters} characters`;
  if (crowded)
    return `an enum of more than ${longEnumLimits.values} values and ${longEnumLimits.characters} characters`;
  return undefined;
};
