import type { JsonSchema } from "../../../types/json.ts";
import type { ReportExportLoss } from "../exporter.ts";
import { mergeReference, resolveLocalReference } from "./inline-references.ts";
import { isSchema } from "./rewrite-schema.ts";

const branchesNote =
  "is not supported at the root: the properties of its branches are listed together, and their combination is validated when a call arrives";
const keywordNote = "is not supported at the root; it is validated when a call arrives";
const combiningKeywords = new Set(["allOf", "anyOf", "oneOf"]);

/** Some generators write the root as a reference into its own definitions. */
export const unwrapRootReference = (schema: JsonSchema, reportLoss: ReportExportLoss): JsonSchema => {
  let root = schema;
  for (const seen = new Set<unknown>(); typeof root.$ref === "string"; ) {
    const target = resolveLocalReference(schema, root.$ref);
    if (!isSchema(target) || seen.has(target)) return root;
    seen.add(target);
    const { $ref, $defs, definitions, ...siblings } = root;
    const written = mergeReference(target, siblings, "/input", reportLoss);
    root = {
      ...written,
      ...($defs === undefined ? {} : { $defs }),
      ...(definitions === undefined ? {} : { definitions }),
    };
    reportLoss("/input", "$ref", "is moved to the root");
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
    reportLoss("/input", "type", "is set to `object`: arguments are always an object");
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

interface SchemaFields {
  readonly properties: ReadonlyMap<string, readonly unknown[]>;
  readonly required: readonly string[];
}

const noFields: SchemaFields = { properties: new Map(), required: [] };

const sameJson = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** The object's own properties apply in every branch. */
const joinFields = (
  own: readonly SchemaFields[],
  branches: readonly SchemaFields[],
  required: readonly string[],
): SchemaFields => {
  const properties = new Map<string, readonly unknown[]>();
  for (const fields of [...own, ...branches]) {
    for (const [name, ways] of fields.properties) {
      if (branches.includes(fields) && own.some((mine) => mine.properties.has(name))) continue;
      const known = properties.get(name) ?? [];
      const fresh = ways.filter((way) => !known.some((other) => sameJson(way, other)));
      properties.set(name, [...known, ...fresh]);
    }
  }
  return { properties, required: [...new Set(required)] };
};

/** Visits each schema once. */
const schemaFieldsOf = (
  schema: unknown,
  root: JsonSchema,
  seen = new Map<JsonSchema, SchemaFields>(),
): SchemaFields => {
  if (!isSchema(schema)) return noFields;
  const known = seen.get(schema);
  if (known !== undefined) return known;
  seen.set(schema, noFields);
  const own = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const ownFields: SchemaFields[] = [
    { properties: new Map(own.map(([name, way]) => [name, [way]])), required: [] },
  ];
  const others: SchemaFields[] = [];
  let required = Array.isArray(schema.required) ? schema.required : [];
  if (typeof schema.$ref === "string") {
    const target = schemaFieldsOf(resolveLocalReference(root, schema.$ref), root, seen);
    ownFields.push(target);
    required = required.concat(target.required);
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[keyword];
    if (!Array.isArray(list) || list.length === 0) continue;
    const branches = list.map((branch) => schemaFieldsOf(branch, root, seen));
    others.push(...branches);
    const [first, ...rest] = branches.map((branch) => branch.required);
    required = required.concat(
      keyword === "allOf"
        ? branches.flatMap((branch) => branch.required)
        : first!.filter((name) => rest.every((names) => names.includes(name))),
    );
  }
  const fields = joinFields(ownFields, others, required);
  seen.set(schema, fields);
  return fields;
};
