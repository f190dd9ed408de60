import type { JsonSchema } from "../../../types/json.ts";
import { inlineReferences } from "../schema/inline-references.ts";
import { unwrapRootReference } from "../schema/object-root.ts";
import { isSchema, subschemaPointer } from "../schema/rewrite-schema.ts";
import { withHints } from "../schema/with-hints.ts";
import { toFrozen } from "../to-frozen.ts";
import type { ReportExportLoss } from "../tool-export.ts";
import { acceptsNull, namedTypesOf, nullable } from "./nullable.ts";
import { isStrictSupported, strictBlockers } from "./strict-keywords.ts";
import { strictSizeProblem } from "./strict-limits.ts";

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
    blocks.push([pointer, "strict", `is not asked for, because ${why}`]);

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
      lose(at, "required", "is optional: null stands for leaving it out");
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
    if (pointer === "/input") block(pointer, `\`${keyword}\` is not taken at the top`);
    if (Object.keys(schema).some((other) => other !== keyword && !allowedBesideUnion.has(other))) {
      block(pointer, `\`${keyword}\` stands beside other rules`);
    }
    if (oneOf !== undefined) lose(pointer, "oneOf", "is written as `anyOf`");
    const lowered = list.map((branch, index) => visit(branch, `${pointer}/${keyword}/${index}`));
    return { ...rest, anyOf: lowered };
  };

  /** Some generators wrap a reference in an `allOf` of one schema. */
  const unwrapAllOf = (schema: JsonSchema, pointer: string): JsonSchema => {
    const { allOf, ...beside } = schema;
    const only = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
    if (!isSchema(only) || Object.keys(beside).some((keyword) => keyword in only)) return schema;
    lose(pointer, "allOf", "of one schema is that schema");
    return { ...only, ...beside };
  };

  const visit = (value: unknown, pointer: string): JsonSchema => {
    if (!isSchema(value)) {
      block(pointer, "any value is taken");
      return {};
    }
    if (typeof value.$ref === "string") {
      if (!value.$ref.startsWith("#/$defs/")) block(pointer, "a reference leads out of the schema");
      return { $ref: value.$ref };
    }
    const source = unwrapAllOf(value, pointer);
    for (const [keyword, why] of strictBlockers) if (source[keyword] !== undefined) block(pointer, why);
    if (Array.isArray(source.items)) block(pointer, "items are described one by one");
    const lost = Object.keys(source).filter(
      (keyword) => keyword !== "oneOf" && !isStrictSupported(source, keyword),
    );
    for (const keyword of lost) lose(pointer, keyword, "is not taken in strict mode");
    const kept = Object.fromEntries(Object.entries(source).filter(([keyword]) => !lost.includes(keyword)));
    let schema = rewriteBranches(withHints(kept, source, lost), pointer);
    if (schema.anyOf !== undefined) return schema;
    const types = namedTypesOf(schema);
    if (types.length === 0) block(pointer, "a value of any type is taken");
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
    block("/input", "the arguments are not plainly an object");
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
