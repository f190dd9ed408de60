import type { JsonSchema } from "../../types/json.ts";
import { subschemas } from "./plain/schema-dialect.ts";

export const withoutDefaults = (schema: JsonSchema): JsonSchema => stripDefaults(schema) as JsonSchema;

const stripDefaults = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== "default");
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, stripKeyword(keyword, value)]));
};

const stripKeyword = (keyword: string, value: unknown): unknown => {
  const place = subschemas.get(keyword);
  if (place === "map" && typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, stripDefaults(each)]));
  }
  return place !== undefined && Array.isArray(value)
    ? value.map(stripDefaults)
    : place === undefined
      ? value
      : stripDefaults(value);
};
