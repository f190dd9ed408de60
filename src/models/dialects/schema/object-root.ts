import type { JsonSchema } from "../../../types/json.ts";
import type { ReportExportLoss } from "../tool-export.ts";
import { mergeReference } from "./merge-reference.ts";
import { resolveLocalReference } from "./references.ts";
import { isSchema } from "./rewrite-schema.ts";
import { schemaFieldsOf } from "./schema-fields.ts";

const branchesNote =
  "is not taken at the top: the properties of its branches are listed together, and which of them go together is judged when a call comes in";
const keywordNote = "is not taken at the top; it is judged when a call comes in";
const combiningKeywords = new Set(["allOf", "anyOf", "oneOf"]);

/** Some generators write the root as a reference into its own definitions. */
export const unwrapRootReference = (schema: JsonSchema, reportLoss: ReportExportLoss): JsonSchema => {
  let root = schema;
  for (const seen = new Set<unknown>(); typeof root.$ref === "string"; ) {
    const target = resolveLocalReference(schema, root.$ref);
    if (!isSchema(target) || seen.has(target)) return root;
    seen.add(target);
    const { $ref, $defs, definitions, ...beside } = root;
    const written = mergeReference(target, beside, "/input", reportLoss);
    root = {
      ...written,
      ...($defs === undefined ? {} : { $defs }),
      ...(definitions === undefined ? {} : { definitions }),
    };
    reportLoss("/input", "$ref", "is written out at the top");
  }
  return root;
};

const isObjectRoot = (schema: JsonSchema, refused: readonly string[]): boolean => {
  if (schema.type !== "object" || !isSchema(schema.properties) || schema.$ref !== undefined) return false;
  for (const keyword of refused) if (schema[keyword] !== undefined) return false;
  return true;
};

/** Providers require an object root, and one refused tool fails the whole request. */
export const objectRoot = (
  schema: JsonSchema,
  refused: readonly string[],
  reportLoss: ReportExportLoss,
): JsonSchema => {
  if (isObjectRoot(schema, refused)) return schema;
  const root = unwrapRootReference(schema, reportLoss);
  if (isObjectRoot(root, refused)) return root;
  const present = refused.filter((keyword) => root[keyword] !== undefined);
  if (root.type !== undefined && root.type !== "object") {
    reportLoss("/input", "type", "is `object`: arguments are never anything else");
  }
  for (const keyword of present)
    reportLoss("/input", keyword, combiningKeywords.has(keyword) ? branchesNote : keywordNote);
  const kept = Object.fromEntries(Object.entries(root).filter(([keyword]) => !present.includes(keyword)));
  const object = { ...kept, type: "object", properties: root.properties ?? {} };
  if (root.additionalProperties === false || !present.some((keyword) => combiningKeywords.has(keyword)))
    return object;
  const { properties, required } = schemaFieldsOf(root, root);
  const listed = [...properties].map(([name, ways]) => [name, ways.length === 1 ? ways[0] : { anyOf: ways }]);
  return {
    ...object,
    properties: Object.fromEntries(listed),
    ...(required.length === 0 ? {} : { required }),
  };
};
