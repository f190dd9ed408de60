import type { JsonSchema } from "../words/json.ts";
import { subschemas } from "./plain/dialect.ts";

/** The same promise for a value that nobody may fill in. */
export const withoutDefaults = (schema: JsonSchema): JsonSchema => strip(schema) as JsonSchema;

const strip = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== "default");
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, stripKeyword(keyword, value)]));
};

const stripKeyword = (keyword: string, value: unknown): unknown => {
  const place = subschemas.get(keyword);
  if (place === "map" && typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, strip(each)]));
  }
  return place !== undefined && Array.isArray(value)
    ? value.map(strip)
    : place === undefined
      ? value
      : strip(value);
};
