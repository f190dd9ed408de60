import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { OpenApiDocument } from "../read-document.ts";
import { dereference } from "./composed.ts";
import { boundedText, plainKeywords } from "./keywords.ts";

const maxFileDepth = 8;

export const isFileField = (root: JsonObject, schema: unknown): boolean => {
  let found = dereference(root, schema);
  // A list may contain itself.
  for (let depth = 0; found?.type === "array" && depth < maxFileDepth; depth++)
    found = isObject(found.items) ? dereference(root, found.items) : undefined;
  if (found === undefined) return false;
  if (found.type === "file" || found.format === "binary") return true;
  return typeof found.contentMediaType === "string" && found.contentEncoding === undefined;
};

const base64 = { type: "string", contentEncoding: "base64", pattern: "^[A-Za-z0-9+/]*={0,2}$" } as const;

export const fileSchema = (root: JsonObject, schema: unknown): JsonSchema => {
  const found = dereference(root, schema) ?? {};
  const said = boundedText(found.description);
  const description = [said, "The bytes of the file in base64."]
    .filter((each) => each !== undefined)
    .join(" ");
  if (found.type !== "array") return { ...base64, description };
  const { minItems, maxItems } = found;
  return {
    type: "array",
    items: base64,
    ...(Number.isInteger(minItems) ? { minItems } : {}),
    ...(Number.isInteger(maxItems) ? { maxItems } : {}),
    description,
  };
};

/** Not listed as properties, where a model might fill them in. */
export const withForbiddenNames = (schema: JsonSchema, names: ReadonlySet<string>): JsonSchema => {
  if (names.size === 0) return schema;
  const refused = { not: { enum: [...names] } };
  const { propertyNames: before } = schema;
  return { ...schema, propertyNames: before === undefined ? refused : { allOf: [before, refused] } };
};

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

/** Checks only the structure, because services often deviate from their documents. */
export const relaxSchema = (made: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const {
    type,
    title,
    properties,
    items,
    prefixItems,
    allOf,
    oneOf,
    anyOf,
    additionalProperties,
    contentMediaType,
  } = made;
  const kinds = [type].flat().filter((kind) => kind !== undefined);
  const wide = kinds.map((kind) => (kind === "integer" ? "number" : kind));
  const choices = [oneOf, anyOf].filter(Array.isArray).map((each) => ({ anyOf: each }));
  const more = [...(Array.isArray(allOf) ? allOf : []), ...(choices.length > 1 ? choices : [])];
  return {
    ...(kinds.length === 0 ? {} : { type: [...new Set([...wide, "null"])] }),
    ...(title === undefined ? {} : { title }),
    ...(properties === undefined ? {} : { properties }),
    ...(items === undefined ? {} : { items }),
    ...(prefixItems === undefined ? {} : { prefixItems }),
    ...(isObject(additionalProperties) ? { additionalProperties } : {}),
    ...(more.length === 0 ? {} : { allOf: more }),
    ...(choices.length === 1 ? choices[0] : {}),
    ...(contentMediaType === undefined ? {} : { contentMediaType }),
  };
};
