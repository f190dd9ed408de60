import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import { toPointer } from "../../../base/json/to-pointer.ts";
import { checkPattern } from "../../../base/schema/pattern-matcher.ts";
import { subschemas } from "../../../base/schema/plain/schema-dialect.ts";
import { ToolError } from "../../../types/errors.ts";
import type { JsonSchema } from "../../../types/json.ts";

export interface LinearSchema {
  readonly schema: JsonSchema;
  /** Pointers of dropped patterns. */
  readonly droppedPatterns: readonly string[];
}

const maxSchemaDepthForPatterns = 64;
type SchemaPath = readonly (string | number)[];

/**
 * Drops patterns that cannot be matched in linear time, and keywords that would then reject more: the result
 * accepts everything that the original accepts.
 */
export const dropUnsafePatterns = (schema: JsonSchema): LinearSchema => {
  const dropped: string[] = [];
  // A reference counts as loosened, because its target may be.
  const { value } = loosenSchema(schema, [], dropped);
  return dropped.length === 0
    ? { schema, droppedPatterns: dropped }
    : { schema: value, droppedPatterns: dropped };
};

interface LoosenedSchema {
  readonly value: JsonObject;
  readonly isLoose: boolean;
}

const loosenSchema = (schema: JsonObject, path: SchemaPath, dropped: string[]): LoosenedSchema => {
  if (path.length > maxSchemaDepthForPatterns) return { value: schema, isLoose: false };
  const copy: Record<string, unknown> = {};
  const loose = new Set<string>();
  let hasDroppedProperties = false;
  for (const [key, value] of Object.entries(schema)) {
    const at = [...path, key];
    if (key === "pattern" && typeof value === "string" && !isLinearPattern(value)) {
      dropped.push(toPointer(at));
      loose.add(key);
      continue;
    }
    const inner = loosenKeyword(key, value, at, dropped);
    copy[key] = inner.value;
    if (inner.isLoose) loose.add(key);
    hasDroppedProperties ||= inner.hasDroppedProperties === true;
  }
  if (hasDroppedProperties) delete copy.additionalProperties;
  const isLoose = [...loose].some((key) => key !== "$defs" && key !== "definitions");
  return { value: withoutContradictions(copy, loose), isLoose };
};

interface LoosenedKeyword {
  readonly value: unknown;
  readonly isLoose: boolean;
  /** A dropped property pattern: `additionalProperties` would reject its names. */
  readonly hasDroppedProperties?: boolean;
}

const loosenKeyword = (key: string, value: unknown, at: SchemaPath, dropped: string[]): LoosenedKeyword => {
  if (key === "$ref" || key === "$dynamicRef") return { value, isLoose: true };
  const kind = subschemas.get(key);
  if (kind === undefined || typeof value !== "object" || value === null) return { value, isLoose: false };
  const one = (each: unknown, path: SchemaPath): LoosenedKeyword =>
    isObject(each) ? loosenSchema(each, path, dropped) : { value: each, isLoose: false };
  if (Array.isArray(value)) {
    const all = value.map((each, index) => one(each, [...at, index]));
    return { value: all.map((each) => each.value), isLoose: all.some((each) => each.isLoose) };
  }
  if (kind !== "map") return one(value, at);
  const members = Object.entries(value);
  const kept = members.filter(([name]) => {
    if (key !== "patternProperties" || isLinearPattern(name)) return true;
    dropped.push(toPointer([...at, name]));
    return false;
  });
  const all = kept.map(([name, each]) => [name, one(each, [...at, name])] as const);
  return {
    value: Object.fromEntries(all.map(([name, each]) => [name, each.value])),
    isLoose: kept.length < members.length || all.some(([, each]) => each.isLoose),
    hasDroppedProperties: kept.length < members.length,
  };
};

/** Drops keywords that reject more when their subschemas accept more. */
const withoutContradictions = (
  schema: Record<string, unknown>,
  loose: ReadonlySet<string>,
): Record<string, unknown> => {
  const droppedKeywords = new Set<string>();
  if (loose.has("not")) droppedKeywords.add("not");
  if (loose.has("if")) for (const key of ["if", "then", "else"]) droppedKeywords.add(key);
  if (loose.has("contains")) droppedKeywords.add("maxContains");
  // Properties that a dropped keyword evaluated count as unevaluated.
  if (loose.size > 0)
    for (const key of ["unevaluatedProperties", "unevaluatedItems"]) droppedKeywords.add(key);
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !droppedKeywords.has(key)));
  if (!loose.has("oneOf")) return kept;
  const { oneOf, ...rest } = kept;
  // Several branches may match now.
  return rest.anyOf === undefined
    ? { ...rest, anyOf: oneOf }
    : { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { anyOf: oneOf }] };
};

const isLinearPattern = (pattern: string): boolean => {
  try {
    checkPattern(pattern, "");
    return true;
  } catch (error) {
    if (ToolError.is(error)) return false;
    throw error;
  }
};
