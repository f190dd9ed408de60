import type { JsonSchema } from "../../../types/json.ts";
import { isRecord } from "../is-record.ts";
import { throwDefinitionError } from "../throw-definition-error.ts";

const applicators = ["anyOf", "oneOf", "allOf"];

export const isJsonSchema = (source: Record<string, unknown>): boolean =>
  typeof source.type === "string" ||
  (Array.isArray(source.type) && source.type.every((each) => typeof each === "string")) ||
  typeof source.$ref === "string" ||
  typeof source.$schema === "string" ||
  Array.isArray(source.enum) ||
  ("const" in source && !isRecord(source.const)) ||
  applicators.some((keyword) => Array.isArray(source[keyword])) ||
  (isRecord(source.properties) && Object.values(source.properties).every(isSchemaLike));

const isSchemaLike = (value: unknown): boolean => typeof value === "boolean" || isRecord(value);

/** Property schemas without a surrounding object schema. */
export const isBareProperties = (source: Record<string, unknown>): boolean => {
  const { required, ...properties } = source;
  const values = Object.values(properties);
  return (
    (required === undefined || Array.isArray(required) || isRecord(required)) &&
    values.length > 0 &&
    values.every((value) => isRecord(value) && (isJsonSchema(value) || typeof value.description === "string"))
  );
};

export const readBareProperties = (source: Record<string, unknown>): JsonSchema => {
  const { required, ...properties } = source;
  if (isRecord(required)) return { type: "object", properties: source, additionalProperties: false };
  const missing = (required as readonly unknown[] | undefined)?.find(
    (name) => typeof name !== "string" || !Object.hasOwn(properties, name),
  );
  if (missing !== undefined) {
    return throwDefinitionError(
      `/required names ${JSON.stringify(missing)}, which is none of ${Object.keys(properties).join(", ")}.`,
    );
  }
  return {
    type: "object",
    properties,
    ...(required === undefined ? {} : { required }),
    additionalProperties: false,
  };
};
