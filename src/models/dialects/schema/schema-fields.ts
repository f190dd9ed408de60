import type { JsonSchema } from "../../../types/json.ts";
import { resolveLocalReference } from "./references.ts";
import { isSchema } from "./rewrite-schema.ts";

export interface SchemaFields {
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
export const schemaFieldsOf = (
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
