import { toPointer } from "../../../base/json/to-pointer.ts";
import type { JsonSchema } from "../../../types/json.ts";

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
