import type { JsonSchema } from "../../../types/json.ts";
import type { ReportExportLoss } from "../exporter.ts";
import { isSchema, mapSubschemas, subschemaPointer } from "./rewrite-schema.ts";

const inlinedNote = "is replaced by its target";

/** Nested references can expand exponentially. */
const maxInlinedSchemas = 10_000;

/** Recursive references stay in `$defs`; a schema that would grow too large is unchanged. */
export const inlineReferences = (
  root: JsonSchema,
  pointer: string,
  reportLoss: ReportExportLoss,
): JsonSchema => {
  if (!hasReferences(root)) return root;
  const isRecursive = recursionTest(root);
  const names = new Map<JsonSchema, string>();
  const losses: Parameters<ReportExportLoss>[] = [];
  const lose: ReportExportLoss = (...loss) => losses.push(loss);
  let size = 0;

  const nameOf = (target: JsonSchema, reference: string): string => {
    const known = names.get(target);
    if (known !== undefined) return known;
    const wanted = (reference.split("/").at(-1) ?? "").replace(/[^A-Za-z0-9_]/g, "") || "root";
    const taken = [...names.values()];
    let name = wanted;
    for (let count = 2; taken.includes(name); count++) name = `${wanted}${count}`;
    names.set(target, name);
    return name;
  };

  const expand = (schema: unknown, at: string): unknown => {
    if (!isSchema(schema) || ++size > maxInlinedSchemas) return schema;
    if (schema.$defs !== undefined) lose(at, "$defs", inlinedNote);
    if (schema.definitions !== undefined) lose(at, "definitions", inlinedNote);
    const own = withoutDefinitions(schema);
    if (typeof own.$ref !== "string") return mapSubschemas(own, at, expand);
    const { $ref, ...siblings } = own;
    const target = resolveLocalReference(root, own.$ref);
    const written = !isSchema(target)
      ? own
      : isRecursive(target)
        ? { $ref: `#/$defs/${nameOf(target, own.$ref)}` }
        : (expand(target, at) as JsonSchema);
    if (typeof written.$ref !== "string") {
      return mergeReference(written, mapSubschemas(siblings, at, expand), at, lose);
    }
    lose(at, "$ref", "is recursive or points outside the schema, and remains a reference");
    for (const keyword of Object.keys(siblings)) lose(at, keyword, "is not supported next to a reference");
    return { $ref: written.$ref };
  };

  const inlined = expand(root, pointer) as JsonSchema;
  const kept: [string, unknown][] = [];
  for (const [target, name] of names)
    kept.push([name, expand(target, subschemaPointer(`${pointer}/$defs`, name))]);
  if (size > maxInlinedSchemas) {
    reportLoss(pointer, "$ref", "remains a reference, because the schema would be too large without it");
    return root;
  }
  for (const loss of losses) reportLoss(...loss);
  return kept.length === 0 ? inlined : { ...inlined, $defs: Object.fromEntries(kept) };
};

const annotationKeywords = new Set(["$comment", "default", "deprecated", "description", "examples", "title"]);

/** Conflicting keywords are combined with `allOf`. */
export const mergeReference = (
  target: JsonSchema,
  siblings: JsonSchema,
  pointer: string,
  reportLoss: ReportExportLoss,
): JsonSchema => {
  const twice = Object.keys(siblings).filter((keyword) => target[keyword] !== undefined);
  if (twice.some((keyword) => !annotationKeywords.has(keyword))) return { allOf: [target, siblings] };
  for (const keyword of twice) {
    if (target[keyword] !== siblings[keyword])
      reportLoss(pointer, keyword, "is taken from the reference, not from its target");
  }
  return Object.freeze({ ...target, ...siblings });
};

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

const withoutDefinitions = (schema: JsonSchema): JsonSchema => {
  if (!hasDefinitions(schema)) return schema;
  const { $defs, definitions, ...rest } = schema;
  return Object.freeze(rest);
};

const hasReferences = (schema: JsonSchema): boolean => {
  if (typeof schema.$ref === "string" || hasDefinitions(schema)) return true;
  let found = false;
  mapSubschemas(schema, "", (subschema) => {
    found ||= isSchema(subschema) && hasReferences(subschema);
    return subschema;
  });
  return found;
};

const recursionTest = (root: JsonSchema): ((schema: JsonSchema) => boolean) => {
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
