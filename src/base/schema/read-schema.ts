import { copyJson } from "../json/copy-json.ts";
import { freezeJson } from "../json/freeze-json.ts";
import type { JsonSchema } from "../words/json.ts";
import { isBareProperties, isJsonSchema, readBareProperties } from "./forms/bare-properties.ts";
import { type EffectSchema, isEffectSchema, readEffectSchema } from "./forms/effect-schema.ts";
import { readParameterList } from "./forms/parameter-list.ts";
import { isValibotSchema, readValibotSchema } from "./forms/valibot-schema.ts";
import { inspectSchema } from "./inspect-schema.ts";
import { isRecord } from "./record.ts";
import { acceptedForms, refuse } from "./refuse.ts";
import { isStandardSchema, type StandardSchema, type StandardValidate } from "./standard.ts";
import { tidy } from "./tidy.ts";

export type Side = "input" | "output";

/** A schema in whatever form it came, as a frozen JSON Schema of its own and the author's validator, if any. */
export interface ReadSchema {
  readonly side: Side;
  readonly schema: JsonSchema;
  readonly standard?: StandardValidate;
}

const dialect = "https://json-schema.org/draft/2020-12/schema";
const limits = { maxDepth: 256 };

export interface RootRule {
  /** Takes any type at the root. Unless set: arguments are an object, and only results may be anything. */
  readonly anyRoot?: boolean;
}

/** Throws a `ToolDefinitionError` that says what is wrong with it, and what would be right. */
export const readSchema = (
  source: unknown,
  side: Side,
  { anyRoot = side === "output" }: RootRule = {},
): ReadSchema => {
  const { schema: found, standard } = readForm(source, side);
  const copy = copyJson(found, limits);
  if (!copy.ok) return refuse(`The ${side} schema is not JSON: ${copy.problem.message}`);
  const { $schema, ...rest } = copy.value as JsonSchema;
  const schema = freezeJson(
    $schema === undefined || $schema === dialect || $schema === `${dialect}#` ? rest : { $schema, ...rest },
  ) as JsonSchema;
  if (!anyRoot && schema.type !== "object") {
    refuse(
      `A tool takes named arguments, so the root of its input schema is { type: "object" }; this one is ${rootOf(schema)}. Wrap it in an object.`,
    );
  }
  inspectSchema(schema);
  return { side, schema, ...(standard === undefined ? {} : { standard }) };
};

const rootOf = (schema: JsonSchema): string => {
  if (schema.type !== undefined) return `of type ${JSON.stringify(schema.type)}`;
  const keyword = ["anyOf", "oneOf", "allOf", "$ref"].find((each) => each in schema);
  return keyword === undefined ? "without a type" : `made of "${keyword}"`;
};

interface SchemaForm {
  readonly schema: unknown;
  readonly standard?: StandardValidate;
}

const readForm = (source: unknown, side: Side): SchemaForm => {
  if (isEffectSchema(source)) return readEffect(source, side);
  if (isStandardSchema(source)) return readStandardSchema(source, side);
  if (!Array.isArray(source) && !isRecord(source))
    return refuse(notASchema(source, side), "invalid_definition");
  const copy = copyJson(source, limits);
  if (!copy.ok) return refuse(`The ${side} schema is not JSON: ${copy.problem.message} ${acceptedForms}`);
  return { schema: readData(copy.value as readonly unknown[] | Record<string, unknown>, side) };
};

const readEffect = (source: EffectSchema, side: Side): SchemaForm => {
  try {
    return readEffectSchema(source, side);
  } catch (cause) {
    // A bundle may hold Effect where no module can be found; the author's own conversion still speaks for itself.
    if (isStandardSchema(source) && source["~standard"].jsonSchema !== undefined) {
      return readStandardSchema(source, side);
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    return refuse(
      `Effect cannot say the ${side} schema in JSON: ${why}. If effect/Schema cannot be loaded here, pass Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema)).`,
      "refused_schema",
      cause,
    );
  }
};

const readData = (data: readonly unknown[] | Record<string, unknown>, side: Side): JsonSchema => {
  if (Array.isArray(data)) return readParameterList(data);
  const object = data as Record<string, unknown>;
  if (isJsonSchema(object)) return object;
  if (isBareProperties(object)) return readBareProperties(object);
  return refuse(notASchema(object, side), "invalid_definition");
};

const notASchema = (source: unknown, side: Side): string => {
  const keys = isRecord(source) ? Object.keys(source).slice(0, 5) : [];
  const what =
    keys.length > 0
      ? `an object with the keys ${keys.map((key) => JSON.stringify(key)).join(", ")}`
      : isRecord(source)
        ? "an empty object"
        : source === null
          ? "null"
          : `a ${typeof source}`;
  return `The ${side} schema is ${what}, which is no schema. ${acceptedForms}`;
};

/** A library's schema, by the JSON Schema it says it has. */
const readStandardSchema = (
  source: StandardSchema,
  side: "input" | "output",
): { readonly schema: JsonSchema; readonly standard: StandardValidate } => {
  const { vendor, validate } = source["~standard"];
  return { schema: tidy(toJsonSchema(source, side)), standard: { vendor, validate } };
};

const toJsonSchema = (source: StandardSchema, side: "input" | "output"): JsonSchema => {
  const { vendor, jsonSchema } = source["~standard"];
  if (jsonSchema === undefined) {
    if (isValibotSchema(source)) return readValibotSchema(source, side);
    return refuse(
      `The ${side} schema of "${vendor}" has no Standard JSON Schema ("~standard".jsonSchema), so no model could be told what to send. Use a version of ${vendor} that has it, or its converter. ${acceptedForms}`,
    );
  }
  try {
    return jsonSchema[side]({ target: "draft-2020-12" });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return refuse(
      `${vendor} cannot say the ${side} schema in JSON: ${why}. A tool's ${side} is JSON; use types that JSON has.`,
      "refused_schema",
      cause,
    );
  }
};
