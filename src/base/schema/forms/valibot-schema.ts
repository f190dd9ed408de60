import type { JsonSchema } from "../../../types/json.ts";
import { throwDefinitionError } from "../throw-definition-error.ts";
import { type PipeItem, readPipe } from "./valibot-pipe.ts";

/** Valibot has no built-in JSON Schema converter. */
export interface ValibotSchema {
  readonly kind: "schema";
  readonly type: string;
  readonly async: boolean;
  readonly pipe?: readonly PipeItem[];
  readonly wrapped?: ValibotSchema;
  readonly default?: unknown;
  readonly entries?: Readonly<Record<string, ValibotSchema>>;
  readonly rest?: ValibotSchema;
  readonly item?: ValibotSchema;
  readonly items?: readonly ValibotSchema[];
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly key?: ValibotSchema;
  readonly value?: ValibotSchema;
}

export const isValibotSchema = (value: unknown): value is ValibotSchema =>
  typeof value === "object" &&
  value !== null &&
  (value as { readonly kind?: unknown }).kind === "schema" &&
  typeof (value as { readonly type?: unknown }).type === "string";

type ValibotSide = "input" | "output";

const advice =
  "Pass toStandardJsonSchema(schema) of @valibot/to-json-schema, or write the JSON Schema yourself.";

export const readValibotSchema = (schema: ValibotSchema, side: ValibotSide, pointer = ""): JsonSchema => {
  if (schema.async)
    throwDefinitionError(
      `The valibot schema at "${pointer}" is async, and validation is synchronous by design.`,
    );
  if (schema.pipe === undefined) return readType(schema, side, pointer);
  const { base, keywords, problem } = readPipe(schema.pipe, side);
  if (problem !== undefined) throwDefinitionError(`The valibot schema at "${pointer}" ${problem}. ${advice}`);
  return { ...readValibotSchema(base as ValibotSchema, side, pointer), ...keywords };
};

const readType = (schema: ValibotSchema, side: ValibotSide, pointer: string): JsonSchema => {
  const read = (each: ValibotSchema, step: string): JsonSchema =>
    readValibotSchema(each, side, `${pointer}/${step}`);
  const options = (schema.options ?? []) as readonly ValibotSchema[];
  switch (schema.type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return { type: schema.type };
    case "any":
    case "unknown":
      return {};
    case "literal":
      return { const: schema.literal };
    case "picklist":
    case "enum":
      return { enum: schema.options };
    case "array":
      return { type: "array", items: read(schema.item as ValibotSchema, "items") };
    case "tuple":
    case "loose_tuple":
    case "strict_tuple":
    case "tuple_with_rest":
      return readTuple(schema, read);
    case "object":
    case "loose_object":
    case "strict_object":
    case "object_with_rest":
      return readObject(schema, side, read);
    case "record":
      return {
        type: "object",
        additionalProperties: read(schema.value as ValibotSchema, "additionalProperties"),
      };
    case "optional":
    case "exact_optional":
    case "undefinedable":
      return { ...read(schema.wrapped as ValibotSchema, ""), ...defaultOf(schema) };
    case "nullable":
    case "nullish":
      return {
        anyOf: [read(schema.wrapped as ValibotSchema, "anyOf/0"), { type: "null" }],
        ...defaultOf(schema),
      };
    case "union":
    case "variant":
      return { anyOf: options.map((each, index) => read(each, `anyOf/${index}`)) };
    case "intersect":
      return { allOf: options.map((each, index) => read(each, `allOf/${index}`)) };
    default:
      return throwDefinitionError(
        `The valibot schema at "${pointer}" is of type ${schema.type}, which has no plain JSON form. ${advice}`,
      );
  }
};

type SchemaReader = (schema: ValibotSchema, step: string) => JsonSchema;

const readTuple = (schema: ValibotSchema, read: SchemaReader): JsonSchema => {
  const prefixItems = (schema.items ?? []).map((each, index) => read(each, `prefixItems/${index}`));
  const closed = schema.type === "strict_tuple" ? { maxItems: prefixItems.length } : {};
  const rest = schema.rest === undefined ? {} : { items: read(schema.rest, "items") };
  return { type: "array", prefixItems, minItems: prefixItems.length, ...closed, ...rest };
};

const readObject = (schema: ValibotSchema, side: ValibotSide, read: SchemaReader): JsonSchema => {
  const entries = Object.entries(schema.entries ?? {});
  const required = entries.filter(([, entry]) => isRequired(entry, side)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, entry]) => [name, read(entry, `properties/${name}`)])),
    ...(required.length === 0 ? {} : { required }),
    ...(schema.type === "strict_object" ? { additionalProperties: false } : {}),
    ...(schema.rest === undefined ? {} : { additionalProperties: read(schema.rest, "additionalProperties") }),
  };
};

/** An entry with a default is optional in the input only. */
const isRequired = (entry: ValibotSchema, side: ValibotSide): boolean => {
  if (entry.type !== "optional" && entry.type !== "nullish" && entry.type !== "exact_optional") return true;
  return side === "output" && entry.default !== undefined;
};

const defaultOf = (schema: ValibotSchema): JsonSchema =>
  schema.default === undefined || typeof schema.default === "function" ? {} : { default: schema.default };
