import type { JsonSchema } from "../../types/json.ts";
import { copyJson } from "../json/copy-json.ts";
import { freezeJson } from "../json/json-value.ts";
import { type EffectSchema, isEffectSchema, readEffectSchema } from "./forms/effect-schema.ts";
import { readParameterList } from "./forms/parameter-list.ts";
import { isValibotSchema, readValibotSchema } from "./forms/valibot-schema.ts";
import { isRecord } from "./plain/plain-schema.ts";
import { simplifySchema } from "./simplify-schema.ts";
import {
  inspectSchema,
  isStandardSchema,
  type StandardSchema,
  type StandardValidate,
} from "./standard-schema.ts";
import { acceptedForms, throwDefinitionError } from "./throw-definition-error.ts";

export type SchemaSide = "input" | "output";

/** A frozen JSON Schema, and the author's validator if there is one. */
export interface ParsedSchema {
  readonly side: SchemaSide;
  readonly schema: JsonSchema;
  readonly standard?: StandardValidate;
}

const defaultDialect = "https://json-schema.org/draft/2020-12/schema";
const copyLimits = { maxDepth: 256 };

export interface RootOptions {
  /** Accepts any type at the root. Unless set: only for results; arguments must be an object. */
  readonly anyRoot?: boolean;
}

export const readSchema = (
  source: unknown,
  side: SchemaSide,
  { anyRoot = side === "output" }: RootOptions = {},
): ParsedSchema => {
  const { schema: found, standard } = readForm(source, side);
  const copy = copyJson(found, copyLimits);
  if (!copy.ok) return throwDefinitionError(`The ${side} schema is not JSON: ${copy.problem.message}`);
  const { $schema, ...rest } = copy.value as JsonSchema;
  const schema = freezeJson(
    $schema === undefined || $schema === defaultDialect || $schema === `${defaultDialect}#`
      ? rest
      : { $schema, ...rest },
  ) as JsonSchema;
  if (!anyRoot && schema.type !== "object") {
    throwDefinitionError(
      `A tool has named arguments, so the root of its input schema must be { type: "object" }; this one is ${rootTypeOf(schema)}. Wrap it in an object.`,
    );
  }
  inspectSchema(schema);
  return { side, schema, ...(standard === undefined ? {} : { standard }) };
};

const rootTypeOf = (schema: JsonSchema): string => {
  if (schema.type !== undefined) return `of type ${JSON.stringify(schema.type)}`;
  const keyword = ["anyOf", "oneOf", "allOf", "$ref"].find((each) => each in schema);
  return keyword === undefined ? "without a type" : `made of "${keyword}"`;
};

interface SchemaForm {
  readonly schema: unknown;
  readonly standard?: StandardValidate;
}

const readForm = (source: unknown, side: SchemaSide): SchemaForm => {
  if (isEffectSchema(source)) return readEffect(source, side);
  if (isStandardSchema(source)) return readStandardSchema(source, side);
  if (!Array.isArray(source) && !isRecord(source))
    return throwDefinitionError(notASchemaMessage(source, side), "invalid_definition");
  const copy = copyJson(source, copyLimits);
  if (!copy.ok)
    return throwDefinitionError(`The ${side} schema is not JSON: ${copy.problem.message} ${acceptedForms}`);
  return { schema: readData(copy.value as readonly unknown[] | Record<string, unknown>, side) };
};

const readEffect = (source: EffectSchema, side: SchemaSide): SchemaForm => {
  try {
    return readEffectSchema(source, side);
  } catch (cause) {
    // In a bundle Effect's module may be missing; the schema's own conversion still works.
    if (isStandardSchema(source) && source["~standard"].jsonSchema !== undefined) {
      return readStandardSchema(source, side);
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    return throwDefinitionError(
      `Effect cannot represent the ${side} schema in JSON: ${why}. If effect/Schema cannot be loaded here, pass Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema)).`,
      "refused_schema",
      cause,
    );
  }
};

const readData = (data: readonly unknown[] | Record<string, unknown>, side: SchemaSide): JsonSchema => {
  if (Array.isArray(data)) return readParameterList(data);
  const object = data as Record<string, unknown>;
  if (isJsonSchema(object)) return object;
  if (side === "input" && Object.keys(object).length === 0) return noArguments;
  if (isBareProperties(object)) return readBareProperties(object);
  return throwDefinitionError(notASchemaMessage(object, side), "invalid_definition");
};

const noArguments: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

const notASchemaMessage = (source: unknown, side: SchemaSide): string => {
  const keys = isRecord(source) ? Object.keys(source).slice(0, 5) : [];
  const what =
    keys.length > 0
      ? `an object with the keys ${keys.map((key) => JSON.stringify(key)).join(", ")}`
      : isRecord(source)
        ? "an empty object"
        : source === null
          ? "null"
          : `a ${typeof source}`;
  return `The ${side} schema is ${what}, which is not a schema. ${acceptedForms}`;
};

const readStandardSchema = (
  source: StandardSchema,
  side: "input" | "output",
): { readonly schema: JsonSchema; readonly standard: StandardValidate } => {
  const { vendor, validate } = source["~standard"];
  return { schema: simplifySchema(toJsonSchema(source, side)), standard: { vendor, validate } };
};

const toJsonSchema = (source: StandardSchema, side: "input" | "output"): JsonSchema => {
  const { vendor, jsonSchema } = source["~standard"];
  if (jsonSchema === undefined) {
    if (isValibotSchema(source)) return readValibotSchema(source, side);
    return throwDefinitionError(
      `The ${side} schema of "${vendor}" has no Standard JSON Schema ("~standard".jsonSchema), so models cannot see which arguments to send. Use a version of ${vendor} that has it, or its converter. ${acceptedForms}`,
    );
  }
  try {
    return jsonSchema[side]({ target: "draft-2020-12" });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return throwDefinitionError(
      `${vendor} cannot represent the ${side} schema in JSON: ${why}. A tool's ${side} must be JSON; use types that JSON can represent.`,
      "refused_schema",
      cause,
    );
  }
};

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
