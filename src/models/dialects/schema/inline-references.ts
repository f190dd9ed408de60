import type { JsonSchema } from "../../../types/json.ts";
import type { ReportExportLoss } from "../tool-export.ts";
import { mergeReference } from "./merge-reference.ts";
import { hasReferences, recursionTest, resolveLocalReference, withoutDefinitions } from "./references.ts";
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
