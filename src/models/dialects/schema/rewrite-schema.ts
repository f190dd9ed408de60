import { toPointer } from "../../../base/json/json-value.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { ReportExportLoss } from "../exporter.ts";

const subschemaPlaces = new Map<string, "alone" | "named">([
  ["additionalItems", "alone"],
  ["additionalProperties", "alone"],
  ["allOf", "alone"],
  ["anyOf", "alone"],
  ["contains", "alone"],
  ["contentSchema", "alone"],
  ["else", "alone"],
  ["if", "alone"],
  ["items", "alone"],
  ["not", "alone"],
  ["oneOf", "alone"],
  ["prefixItems", "alone"],
  ["propertyNames", "alone"],
  ["then", "alone"],
  ["unevaluatedItems", "alone"],
  ["unevaluatedProperties", "alone"],
  ["$defs", "named"],
  ["definitions", "named"],
  ["dependencies", "named"],
  ["dependentSchemas", "named"],
  ["patternProperties", "named"],
  ["properties", "named"],
]);

export const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const subschemaPointer = (pointer: string, name: string): string =>
  name.includes("/") || name.includes("~") ? pointer + toPointer([name]) : `${pointer}/${name}`;

type VisitSchema = (subschema: unknown, pointer: string) => unknown;

const mapList = (list: readonly unknown[], pointer: string, map: VisitSchema): readonly unknown[] => {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const next = map(list[index], `${pointer}/${index}`);
    if (next === list[index]) continue;
    copy ??= list.slice();
    copy[index] = next;
  }
  return copy === undefined ? list : Object.freeze(copy);
};

const mapNamed = (named: JsonSchema, pointer: string, map: VisitSchema): JsonSchema => {
  let copy: Record<string, unknown> | undefined;
  for (const name in named) {
    const next = map(named[name], subschemaPointer(pointer, name));
    if (next === named[name]) continue;
    copy ??= { ...named };
    copy[name] = next;
  }
  return copy === undefined ? named : Object.freeze(copy);
};

/**
 * Returns the same object if no subschema changes. Copies are frozen, so that no format copies them again.
 */
export const mapSubschemas = (schema: JsonSchema, pointer: string, map: VisitSchema): JsonSchema => {
  let copy: Record<string, unknown> | undefined;
  for (const keyword in schema) {
    const value = schema[keyword];
    if (typeof value !== "object" || value === null) continue;
    const place = subschemaPlaces.get(keyword);
    if (place === undefined) continue;
    const here = `${pointer}/${keyword}`;
    const next = Array.isArray(value)
      ? mapList(value, here, map)
      : place === "named"
        ? mapNamed(value as JsonSchema, here, map)
        : map(value, here);
    if (next === value) continue;
    copy ??= { ...schema };
    copy[keyword] = next;
  }
  return copy === undefined ? schema : Object.freeze(copy);
};

export type RewriteStep = (schema: JsonSchema, pointer: string) => JsonSchema;

export const sequence =
  (...changes: readonly RewriteStep[]): RewriteStep =>
  (schema, pointer) => {
    let next = schema;
    for (const change of changes) next = change(next, pointer);
    return next;
  };

/** Rewrites bottom-up; unchanged parts are shared. */
export const rewriteSchema = (schema: JsonSchema, pointer: string, change: RewriteStep): JsonSchema => {
  const visit: VisitSchema = (subschema, at) =>
    isSchema(subschema) ? change(mapSubschemas(subschema, at, visit), at) : subschema;
  return change(mapSubschemas(schema, pointer, visit), pointer);
};

/** Providers do not accept boolean schemas as properties. */
export const plainProperties: RewriteStep = (schema) => {
  const { properties } = schema;
  if (!isSchema(properties)) return schema;
  let copy: Record<string, unknown> | undefined;
  for (const name in properties) {
    if (typeof properties[name] !== "boolean") continue;
    copy ??= { ...properties };
    copy[name] = properties[name] ? {} : { not: {} };
  }
  return copy === undefined ? schema : { ...schema, properties: copy };
};

const rewriteTuple = (schema: JsonSchema, pointer: string, reportLoss: ReportExportLoss): JsonSchema => {
  const { items, additionalItems, ...rest } = schema;
  reportLoss(pointer, "items", "is written as `prefixItems`, as draft 2020-12 has it");
  if (additionalItems === undefined) return { ...rest, prefixItems: items };
  reportLoss(pointer, "additionalItems", "is written as `items`, as draft 2020-12 has it");
  return { ...rest, prefixItems: items, items: additionalItems };
};

const rewriteDependencies = (
  schema: JsonSchema,
  pointer: string,
  reportLoss: ReportExportLoss,
): JsonSchema => {
  const { dependencies, ...rest } = schema;
  const entries = Object.entries(dependencies as JsonSchema);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  reportLoss(
    pointer,
    "dependencies",
    "is written as `dependentRequired` and `dependentSchemas`, as draft 2020-12 has it",
  );
  return {
    ...rest,
    ...(names.length === 0 ? {} : { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length === 0 ? {} : { dependentSchemas: Object.fromEntries(schemas) }),
  };
};

/** Providers refuse draft-07 tuples, whatever `$schema` says. */
export const toDraft2020 = (reportLoss: ReportExportLoss): RewriteStep => {
  let changed = false;
  return (schema, pointer) => {
    let next = schema;
    if (Array.isArray(schema.items)) next = rewriteTuple(next, pointer, reportLoss);
    if (typeof schema.dependencies === "object") next = rewriteDependencies(next, pointer, reportLoss);
    changed ||= next !== schema;
    if (!changed || typeof next.$schema !== "string" || next.$schema.includes("2020-12")) return next;
    reportLoss(pointer, "$schema", "is set to draft 2020-12, to which the schema was converted");
    return { ...next, $schema: "https://json-schema.org/draft/2020-12/schema" };
  };
};

const hintKeywords = new Set([
  "default",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maximum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minimum",
  "minItems",
  "minLength",
  "minProperties",
  "multipleOf",
  "pattern",
  "uniqueItems",
]);

const maxHintLength = 200;

/** Repeats unsupported keywords in the description. */
export const withHints = (schema: JsonSchema, source: JsonSchema, lost: readonly string[]): JsonSchema => {
  let hints = "";
  for (const keyword of lost) {
    if (!hintKeywords.has(keyword)) continue;
    const value = source[keyword];
    const text = typeof value === "number" ? String(value) : JSON.stringify(value);
    if (text.length <= maxHintLength) hints += `${hints === "" ? "" : "; "}${keyword}: ${text}`;
  }
  if (hints === "") return schema;
  const hint = `(${hints})`;
  const { description } = schema;
  return {
    ...schema,
    description: typeof description === "string" && description !== "" ? `${description} ${hint}` : hint,
  };
};
