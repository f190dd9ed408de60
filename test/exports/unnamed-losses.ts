import { isDeepStrictEqual } from "node:util";
import type { ExportLoss } from "../../src/models/dialects/exporter.ts";
import type { JsonSchema } from "../../src/types/json.ts";

type Reported = Pick<ExportLoss, "pointer" | "keyword" | "note">;

const alone = ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
const listed = ["allOf", "anyOf", "oneOf", "prefixItems"];
const named = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const segment = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

const follow = (root: JsonSchema, reference: string): unknown => {
  let at: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    at = (at as JsonSchema | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return at;
};

const takesNull = (schema: JsonSchema): boolean =>
  [schema.type].flat().includes("null") && (!Array.isArray(schema.enum) || schema.enum.includes(null));

/** The schema that `x or null` was made from. */
const withoutNull = (schema: JsonSchema, source: JsonSchema): JsonSchema => {
  if (Array.isArray(schema.anyOf)) {
    const { anyOf, ...rest } = schema;
    const others = anyOf.filter((branch) => !isDeepStrictEqual(branch, { type: "null" }));
    return others.length === 1 && !("anyOf" in source || "oneOf" in source)
      ? { ...rest, ...others[0] }
      : { ...rest, anyOf: others };
  }
  const types = [schema.type].flat().filter((type) => type !== "null");
  const had = [source.type].flat().includes("null");
  const type = had ? schema.type : types.length === 1 ? types[0] : types;
  // A single-schema allOf has its values one level deeper.
  const values = source.enum ?? (source.allOf as readonly JsonSchema[] | undefined)?.[0]?.enum;
  const isAdded = Array.isArray(schema.enum) && !(values as unknown[] | undefined)?.includes(null);
  const kept = isAdded ? { enum: (schema.enum as unknown[]).filter((value) => value !== null) } : {};
  return { ...schema, type, ...kept };
};

/**
 * Compares a source schema with its export, and returns what is neither there nor in the report. Shares no
 * code with the exporters: it resolves references itself.
 */
export const unnamedLosses = (
  input: JsonSchema,
  exported: JsonSchema,
  report: readonly Reported[],
  base = "/input",
): readonly string[] => {
  const problems = new Set<string>();
  const seen = new Map<unknown, Set<unknown>>();
  const paths = report.map((loss) => ({ ...loss, path: `${loss.pointer}/${segment(loss.keyword)}` }));
  const isNamed = (path: string) =>
    paths.some(
      (loss) =>
        loss.keyword !== "required" &&
        (path === loss.path || (path.startsWith(`${loss.path}/`) && !loss.note.includes("written"))),
    );
  const isMadeNullable = (pointer: string) =>
    report.some((loss) => loss.keyword === "required" && loss.pointer === pointer);

  const compare = (keyword: string, source: unknown, target: unknown, pointer: string): void => {
    if (Array.isArray(source) && listed.includes(keyword) && Array.isArray(target)) {
      source.forEach((branch, index) => {
        walk(branch, target[index], `${pointer}/${index}`);
      });
    } else if (alone.includes(keyword) && !Array.isArray(source)) {
      walk(source, target, pointer);
    } else if (named.includes(keyword) && isObject(source)) {
      for (const [name, schema] of Object.entries(source)) {
        const at = `${pointer}/${segment(name)}`;
        const next = isObject(target) ? target[name] : undefined;
        if (next === undefined && (isNamed(at) || (keyword !== "properties" && isNamed(pointer)))) continue;
        walk(schema, next, at);
      }
    } else if (keyword === "description" && typeof target === "string") {
      if (!target.startsWith(source as string) && !isNamed(pointer)) problems.add(`${pointer}: another text`);
    } else if (keyword === "required") {
      for (const name of source as string[]) {
        if (!(target as string[]).includes(name)) problems.add(`${pointer}: ${name} is not required`);
      }
    } else if (!isDeepStrictEqual(source, target) && !isNamed(pointer)) {
      problems.add(`${pointer}: ${JSON.stringify(source)} became ${JSON.stringify(target)}`);
    }
  };

  const isWithoutList = (schema: unknown, steps = 9): boolean => {
    if (!isObject(schema) || steps === 0) return false;
    return typeof schema.$ref === "string"
      ? isWithoutList(follow(input, schema.$ref), steps - 1)
      : schema.allOf === undefined;
  };

  const walk = (source: unknown, target: unknown, pointer: string): void => {
    if (typeof source === "boolean") {
      const same = source ? {} : { not: {} };
      if (source !== target && !isDeepStrictEqual(target, same)) problems.add(`${pointer}: was ${source}`);
    } else if (!isObject(source) || !isObject(target)) {
      problems.add(`${pointer}: is gone`);
    } else if (!seen.get(source)?.has(target)) {
      seen.set(source, (seen.get(source) ?? new Set()).add(target));
      if (typeof target.$ref === "string" && source.$ref !== target.$ref) {
        // The losses of a referenced definition are named at the definition.
        let meant: JsonSchema = source;
        for (const passed = new Set<unknown>(); typeof meant.$ref === "string" && !passed.has(meant); ) {
          passed.add(meant);
          const { $ref, ...siblings } = meant;
          walkKeywords(siblings, {}, pointer);
          meant = follow(input, meant.$ref) as JsonSchema;
        }
        walk(meant, follow(exported, target.$ref), `${base}/${target.$ref.slice(2)}`);
      } else if (isMadeNullable(pointer) && !takesNull(source)) {
        walkKeywords(source, withoutNull(target, source), pointer);
      } else walkKeywords(source, target, pointer);
    }
  };

  const walkKeywords = (source: JsonSchema, target: JsonSchema, pointer: string): void => {
    let own = source;
    let other = target;
    if (typeof source.$ref === "string" && source.$ref !== other.$ref) {
      const { $ref, ...siblings } = source;
      const meant = follow(input, source.$ref);
      const isSplit = Array.isArray(other.allOf) && other.allOf.length === 2 && isWithoutList(meant);
      const [first, second] = isSplit ? (other.allOf as JsonSchema[]) : [other, other];
      walk(meant, first, pointer);
      own = siblings;
      other = second ?? {};
    }
    for (const [keyword, value] of Object.entries(own)) {
      const at = `${pointer}/${keyword}`;
      if (keyword === "oneOf" && other.oneOf === undefined && isNamed(at) && Array.isArray(other.anyOf)) {
        compare("anyOf", value, other.anyOf, at);
      } else if (other[keyword] === undefined) {
        if (!isNamed(at)) problems.add(`${at}: is gone`);
      } else compare(keyword, value, other[keyword], at);
    }
  };

  walk(input, exported, base);
  return [...problems];
};
