import { isObject, type JsonObject } from "../../../json/is-object.ts";
import type { OpenApiDocument } from "../read-document.ts";
import { plainKeywords } from "./keywords.ts";

export const isSchemaLike = (value: unknown): boolean => typeof value === "boolean" || isObject(value);

const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
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

const newShapes: typeof shapes = {
  patternProperties: isObject,
  dependentSchemas: isObject,
  dependentRequired: isNameLists,
  prefixItems: Array.isArray,
  contains: isSchemaLike,
  propertyNames: isSchemaLike,
  if: isSchemaLike,
};

/** Keywords whose value is none for them, or which the version of the document does not know. */
export const oddKeywords = (schema: JsonObject, version: OpenApiDocument["version"]): readonly string[] => [
  ...Object.keys(shapes).filter((name) => schema[name] !== undefined && !shapes[name]!(schema[name])),
  ...Object.keys(newShapes).filter(
    (name) => schema[name] !== undefined && (version !== "3.1" || !newShapes[name]!(schema[name])),
  ),
];
