import type { JsonSchema } from "../../../types/json.ts";
import { throwDefinitionError } from "../throw-definition-error.ts";

interface PipeItem {
  readonly kind: string;
  readonly type: string;
  readonly requirement?: unknown;
  readonly description?: unknown;
  readonly title?: unknown;
  readonly metadata?: unknown;
}

interface ParsedPipe {
  readonly base: PipeItem;
  readonly keywords: JsonSchema;
  readonly problem?: string;
}

const formatByCheck: Readonly<Record<string, string>> = {
  email: "email",
  url: "uri",
  uuid: "uuid",
  ipv4: "ipv4",
  ipv6: "ipv6",
  iso_date: "date",
  iso_timestamp: "date-time",
};

const boundByCheck: Readonly<Record<string, string>> = {
  min_length: "minLength",
  max_length: "maxLength",
  min_value: "minimum",
  max_value: "maximum",
  gt_value: "exclusiveMinimum",
  lt_value: "exclusiveMaximum",
  multiple_of: "multipleOf",
};

const typePreservingActions = new Set([
  "trim",
  "trim_start",
  "trim_end",
  "to_lower_case",
  "to_upper_case",
  "normalize",
  "brand",
  "readonly",
  "flavor",
]);

/**
 * The input ends at the first transformation, the output begins at the last schema. Valibot itself runs
 * checks that have no keyword.
 */
const readPipe = (pipe: readonly PipeItem[], side: "input" | "output"): ParsedPipe => {
  const [first, ...rest] = pipe as readonly [PipeItem, ...PipeItem[]];
  const words = pipe.filter((item) => item.kind === "metadata").map(toAnnotations);
  if (side === "input") {
    const end = rest.findIndex((item) => item.kind === "transformation" || item.kind === "schema");
    return { base: first, keywords: merge(first, end < 0 ? rest : rest.slice(0, end), words) };
  }
  const last = pipe.findLastIndex((item) => item.kind === "schema");
  const base = pipe[last] as PipeItem;
  const after = pipe.slice(last + 1);
  const changed = after.find(
    (item) => item.kind === "transformation" && !typePreservingActions.has(item.type),
  );
  const keywords = merge(base, after, words);
  return changed === undefined
    ? { base, keywords }
    : { base, keywords, problem: `ends in ${changed.type}, so its output type is unknown` };
};

const merge = (base: PipeItem, items: readonly PipeItem[], words: readonly JsonSchema[]): JsonSchema =>
  Object.assign({}, ...items.map((item) => toKeywords(item, base.type)), ...words);

const toKeywords = (item: PipeItem, type: string): JsonSchema => {
  if (item.kind !== "validation") return {};
  if (item.type === "integer" || item.type === "safe_integer") return { type: "integer" };
  if (item.type in formatByCheck) return { format: formatByCheck[item.type] };
  const suffix = type === "string" ? "Length" : "Items";
  if (item.type === "non_empty") return { [`min${suffix}`]: 1 };
  if (item.type === "length")
    return { [`min${suffix}`]: item.requirement, [`max${suffix}`]: item.requirement };
  const keyword = boundByCheck[item.type];
  if (keyword === undefined || typeof item.requirement !== "number") return {};
  return { [keyword.replace("Length", suffix)]: item.requirement };
};

const toAnnotations = (item: PipeItem): JsonSchema => {
  if (typeof item.description === "string") return { description: item.description };
  return typeof item.title === "string" ? { title: item.title } : {};
};

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
