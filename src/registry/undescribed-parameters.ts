import { isRecord } from "../base/schema/is-record.ts";
import type { JsonSchema } from "../types/json.ts";

export const undescribedParameters = (schema: JsonSchema): readonly string[] => {
  const { properties } = schema;
  if (!isRecord(properties)) return [];
  return Object.keys(properties).filter((name) => !isDescribed(properties[name], schema));
};

const isDescribed = (property: unknown, schema: JsonSchema): boolean =>
  isRecord(property) && (hasDescription(property) || hasDescription(definitionAt(property.$ref, schema)));

const hasDescription = (property: unknown): boolean =>
  isRecord(property) && typeof property.description === "string" && property.description.trim() !== "";

/** Resolves local references only. */
const definitionAt = ($ref: unknown, schema: JsonSchema): unknown => {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String($ref)) ?? [];
  const definitions = place === undefined ? undefined : schema[place];
  return isRecord(definitions) && Object.hasOwn(definitions, name!) ? definitions[name!] : undefined;
};
