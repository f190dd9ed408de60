import type { JsonSchema } from "../../../types/json.ts";
import { isSchema, mapSubschemas } from "./rewrite-schema.ts";

const decodeSegment = (segment: string): string => {
  if (!segment.includes("%") && !segment.includes("~")) return segment;
  try {
    return decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return segment;
  }
};

/** Other documents and anchors are not resolved. */
export const resolveLocalReference = (root: JsonSchema, reference: string): unknown => {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (let start = 2, end = 0; end < reference.length; start = end + 1) {
    end = reference.indexOf("/", start);
    if (end < 0) end = reference.length;
    const segment = decodeSegment(reference.slice(start, end));
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = (at as JsonSchema)[segment];
  }
  return at;
};

const hasDefinitions = ({ $defs, definitions }: JsonSchema): boolean =>
  $defs !== undefined || definitions !== undefined;

export const withoutDefinitions = (schema: JsonSchema): JsonSchema => {
  if (!hasDefinitions(schema)) return schema;
  const { $defs, definitions, ...rest } = schema;
  return Object.freeze(rest);
};

export const hasReferences = (schema: JsonSchema): boolean => {
  if (typeof schema.$ref === "string" || hasDefinitions(schema)) return true;
  let found = false;
  mapSubschemas(schema, "", (subschema) => {
    found ||= isSchema(subschema) && hasReferences(subschema);
    return subschema;
  });
  return found;
};

export const recursionTest = (root: JsonSchema): ((schema: JsonSchema) => boolean) => {
  const targets = new Map<JsonSchema, ReadonlySet<JsonSchema>>();

  const targetsOf = (schema: JsonSchema): ReadonlySet<JsonSchema> => {
    const known = targets.get(schema);
    if (known !== undefined) return known;
    const found = new Set<JsonSchema>();
    const visit = (value: unknown): unknown => {
      if (!isSchema(value)) return value;
      const target = typeof value.$ref === "string" ? resolveLocalReference(root, value.$ref) : undefined;
      if (isSchema(target)) found.add(target);
      mapSubschemas(withoutDefinitions(value), "", visit);
      return value;
    };
    visit(schema);
    targets.set(schema, found);
    return found;
  };

  const answers = new Map<JsonSchema, boolean>();
  return (schema) => {
    if (!hasReferences(schema)) return false;
    const known = answers.get(schema);
    if (known !== undefined) return known;
    const reached = new Set(targetsOf(schema));
    for (const target of reached) for (const next of targetsOf(target)) reached.add(next);
    answers.set(schema, reached.has(schema));
    return reached.has(schema);
  };
};
