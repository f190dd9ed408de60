import type { JsonSchema } from "../../../types/json.ts";
import { type ReportExportLoss, toFrozen } from "../exporter.ts";
import { inlineReferences } from "../schema/inline-references.ts";
import { unwrapRootReference } from "../schema/object-root.ts";
import { isSchema, mapSubschemas, subschemaPointer, withHints } from "../schema/rewrite-schema.ts";

const namedTypesOf = (schema: JsonSchema): readonly string[] => {
  if (typeof schema.type === "string") return [schema.type];
  if (Array.isArray(schema.type)) return schema.type;
  const values = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : [];
  const types = values.map((value) => {
    if (value === null) return "null";
    if (Array.isArray(value)) return "array";
    return typeof value;
  });
  return [...new Set(types)];
};

export const acceptsNull = (schema: unknown): boolean => {
  if (!isSchema(schema)) return schema === true;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(acceptsNull);
  if (Array.isArray(schema.enum) && !schema.enum.includes(null)) return false;
  if ("const" in schema && schema.const !== null) return false;
  return namedTypesOf(schema).includes("null");
};

const nullable = (schema: JsonSchema): JsonSchema => {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: "null" }] };
  const types = namedTypesOf(schema);
  const isPlain = !("const" in schema) && !("$ref" in schema);
  if (isPlain && !types.includes("object") && !types.includes("array")) {
    const listed = Array.isArray(schema.enum) ? { enum: [...new Set([...schema.enum, null])] } : {};
    return { ...schema, type: types.includes("null") ? types : [...types, "null"], ...listed };
  }
  const { description, ...inner } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [inner, { type: "null" }] };
};

export interface StrictSchema {
  /** Missing if strict mode would forbid valid input. */
  readonly schema?: JsonSchema;
  readonly losses: readonly (readonly [pointer: string, keyword: string, note: string])[];
  /** Optional properties that do not accept null themselves. */
  readonly nullable: readonly string[];
}

const allowedBesideUnion = new Set(["$defs", "description", "title"]);

const toStrictSchema = (input: JsonSchema): StrictSchema => {
  const losses: [string, string, string][] = [];
  const blocks: [string, string, string][] = [];
  const nullables: string[] = [];
  const lose: ReportExportLoss = (...loss) => losses.push(loss);
  const block = (pointer: string, why: string) =>
    blocks.push([pointer, "strict", `is not requested, because ${why}`]);

  const closeObject = (schema: JsonSchema, pointer: string): JsonSchema => {
    const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
    const required = Array.isArray(schema.required) ? schema.required : [];
    const isAvailable = schema.additionalProperties !== false;
    const takesNothing = pointer === "/input" && schema.properties !== undefined;
    if (schema.additionalProperties !== undefined && isAvailable)
      block(pointer, "properties are not all named");
    else if (properties.length === 0 && isAvailable && !takesNothing)
      block(pointer, "no properties are named");
    else if (isAvailable)
      lose(pointer, "additionalProperties", "is false: only the named properties may be sent");
    if (required.some((name) => !properties.some(([known]) => known === name))) {
      block(pointer, "a required property is not described");
    }
    const entries = properties.map(([name, property]): [string, unknown] => {
      const at = subschemaPointer(`${pointer}/properties`, name);
      const lowered = visit(property, at);
      if (required.includes(name)) return [name, lowered];
      lose(at, "required", "is optional: null means that it is omitted");
      if (acceptsNull(lowered)) return [name, lowered];
      nullables.push(at);
      return [name, nullable(lowered)];
    });
    return {
      ...schema,
      properties: Object.fromEntries(entries),
      required: entries.map(([name]) => name),
      additionalProperties: false,
    };
  };

  const rewriteBranches = (schema: JsonSchema, pointer: string): JsonSchema => {
    const { oneOf, ...rest } = schema;
    const keyword = oneOf === undefined ? "anyOf" : "oneOf";
    const list = schema[keyword];
    if (!Array.isArray(list)) return schema;
    if (pointer === "/input") block(pointer, `\`${keyword}\` is not supported at the root`);
    if (Object.keys(schema).some((other) => other !== keyword && !allowedBesideUnion.has(other))) {
      block(pointer, `\`${keyword}\` is combined with other keywords`);
    }
    if (oneOf !== undefined) lose(pointer, "oneOf", "is written as `anyOf`");
    const lowered = list.map((branch, index) => visit(branch, `${pointer}/${keyword}/${index}`));
    return { ...rest, anyOf: lowered };
  };

  /** Some generators wrap a reference in an `allOf` of one schema. */
  const unwrapAllOf = (schema: JsonSchema, pointer: string): JsonSchema => {
    const { allOf, ...siblings } = schema;
    const only = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
    if (!isSchema(only) || Object.keys(siblings).some((keyword) => keyword in only)) return schema;
    lose(pointer, "allOf", "with one schema is replaced by that schema");
    return { ...only, ...siblings };
  };

  const visit = (value: unknown, pointer: string): JsonSchema => {
    if (!isSchema(value)) {
      block(pointer, "any value is accepted");
      return {};
    }
    if (typeof value.$ref === "string") {
      if (!value.$ref.startsWith("#/$defs/")) block(pointer, "a reference points outside the schema");
      return { $ref: value.$ref };
    }
    const source = unwrapAllOf(value, pointer);
    for (const [keyword, why] of strictBlockers) if (source[keyword] !== undefined) block(pointer, why);
    if (Array.isArray(source.items)) block(pointer, "items are described one by one");
    const lost = Object.keys(source).filter(
      (keyword) => keyword !== "oneOf" && !isStrictSupported(source, keyword),
    );
    for (const keyword of lost) lose(pointer, keyword, "is not supported in strict mode");
    const kept = Object.fromEntries(Object.entries(source).filter(([keyword]) => !lost.includes(keyword)));
    let schema = rewriteBranches(withHints(kept, source, lost), pointer);
    if (schema.anyOf !== undefined) return schema;
    const types = namedTypesOf(schema);
    if (types.length === 0) block(pointer, "a value of any type is accepted");
    if (schema.type === undefined) schema = { type: types.length === 1 ? types[0] : types, ...schema };
    if (types.includes("object")) schema = closeObject(schema, pointer);
    if (types.includes("array")) schema = { ...schema, items: visit(schema.items, `${pointer}/items`) };
    return schema;
  };

  let schema = visit(unwrapRootReference(inlineReferences(input, "/input", lose), lose), "/input");
  if (isSchema(schema.$defs)) {
    const definitions = Object.entries(schema.$defs).map(([name, definition]) => [
      name,
      visit(definition, subschemaPointer("/input/$defs", name)),
    ]);
    schema = { ...schema, $defs: Object.fromEntries(definitions) };
  }
  if (schema.type !== "object" && blocks.length === 0)
    block("/input", "the arguments are not simply an object");
  const large = blocks.length === 0 ? strictSizeProblem(schema) : undefined;
  if (large !== undefined) block("/input", `the schema has ${large}`);
  return blocks.length === 0
    ? { schema: toFrozen(schema), losses, nullable: nullables }
    : { losses: blocks, nullable: [] };
};

const strictSchemaCache = new WeakMap<JsonSchema, StrictSchema>();

/** Dropped constraints are validated when a call arrives. */
export const strictSchema = (input: JsonSchema): StrictSchema => {
  const before = strictSchemaCache.get(input);
  if (before !== undefined) return before;
  const lowered = toStrictSchema(input);
  strictSchemaCache.set(input, lowered);
  return lowered;
};

const strictLimits = { properties: 5_000, levels: 10, enumValues: 1_000, characters: 120_000 };
const longEnumLimits = { values: 250, characters: 15_000 };

const lengthOf = (values: readonly unknown[]): number => {
  let length = 0;
  for (const value of values) if (typeof value === "string") length += value.length;
  return length;
};

const strictSizeProblem = (schema: JsonSchema): string | undefined => {
  const count = { properties: 0, levels: 0, enumValues: 0, characters: 0 };
  let crowded = false;

  const visit = (value: unknown, level: number): void => {
    if (!isSchema(value)) return;
    const deeper = isSchema(value.properties) || value.items !== undefined ? level + 1 : level;
    count.levels = Math.max(count.levels, deeper);
    for (const named of [value.properties, value.$defs]) {
      if (isSchema(named)) count.characters += lengthOf(Object.keys(named));
    }
    if (isSchema(value.properties)) count.properties += Object.keys(value.properties).length;
    if (typeof value.const === "string") count.characters += value.const.length;
    if (Array.isArray(value.enum)) {
      const length = lengthOf(value.enum);
      count.enumValues += value.enum.length;
      count.characters += length;
      crowded ||= value.enum.length > longEnumLimits.values && length > longEnumLimits.characters;
    }
    mapSubschemas(value, "", (subschema) => {
      visit(subschema, deeper);
      return subschema;
    });
  };

  visit(schema, 0);
  if (count.properties > strictLimits.properties) return `more than ${strictLimits.properties} properties`;
  if (count.levels > strictLimits.levels)
    return `more than ${strictLimits.levels} levels of objects and arrays`;
  if (count.enumValues > strictLimits.enumValues) return `more than ${strictLimits.enumValues} enum values`;
  if (count.characters > strictLimits.characters)
    return `names and values of more than ${strictLimits.characters} characters`;
  if (crowded)
    return `an enum of more than ${longEnumLimits.values} values and ${longEnumLimits.characters} characters`;
  return undefined;
};

const supportedKeywords = new Set([
  "$defs",
  "$ref",
  "additionalProperties",
  "anyOf",
  "const",
  "description",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "items",
  "maximum",
  "maxItems",
  "minimum",
  "minItems",
  "multipleOf",
  "pattern",
  "properties",
  "required",
  "title",
  "type",
]);

const supportedFormats = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uuid",
]);

const lookaround = /\(\?<?[=!]|\\[1-9]|\\k</;

const isStrictSupported = (schema: JsonSchema, keyword: string): boolean => {
  const value = schema[keyword];
  if (keyword === "format") return supportedFormats.has(value as string);
  if (keyword === "pattern") return typeof value === "string" && !lookaround.test(value);
  return supportedKeywords.has(keyword);
};

/** Dropping these keywords would forbid valid input. */
const strictBlockers: ReadonlyMap<string, string> = new Map([
  ["allOf", "`allOf` is not supported"],
  ["dependentSchemas", "`dependentSchemas` is not supported"],
  ["dependencies", "`dependencies` is not supported"],
  ["if", "`if` is not supported"],
  ["patternProperties", "property names are given by a pattern"],
  ["prefixItems", "items are described one by one"],
]);
