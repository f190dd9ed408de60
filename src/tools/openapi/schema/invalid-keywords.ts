import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import type { OpenApiDocument } from "../read-document.ts";
import { plainKeywords } from "./keywords.ts";

export const isSchemaLike = (value: unknown): boolean => typeof value === "boolean" || isObject(value);

const keywordShapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  properties: isObject,
  additionalProperties: isSchemaLike,
  items: (value) => isSchemaLike(value) || Array.isArray(value),
  allOf: Array.isArray,
  anyOf: Array.isArray,
  oneOf: Array.isArray,
  not: isSchemaLike,
  enum: Array.isArray,
  pattern: (value) => typeof value === "string",
};

export const isNameLists = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((names) => plainKeywords.required!(names) !== undefined);

const keywordShapes31: typeof keywordShapes = {
  patternProperties: isObject,
  dependentSchemas: isObject,
  dependentRequired: isNameLists,
  prefixItems: Array.isArray,
  contains: isSchemaLike,
  propertyNames: isSchemaLike,
  if: isSchemaLike,
};

export const invalidKeywords = (
  schema: JsonObject,
  version: OpenApiDocument["version"],
): readonly string[] => [
  ...Object.keys(keywordShapes).filter(
    (name) => schema[name] !== undefined && !keywordShapes[name]!(schema[name]),
  ),
  ...Object.keys(keywordShapes31).filter(
    (name) => schema[name] !== undefined && (version !== "3.1" || !keywordShapes31[name]!(schema[name])),
  ),
];
