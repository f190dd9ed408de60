import { canonicalJson } from "../../../base/json/canonical-json.ts";
import { toPointer } from "../../../base/json/json-value.ts";
import type { Json, JsonSchema } from "../../../types/json.ts";
import {
  constraintsOf,
  type Shape,
  type SignatureParameter,
  type SignatureType,
  type SimpleType,
  simpleTypeByName,
} from "../signature-types.ts";
import { isOfShape } from "./value-json.ts";

type SchemaPath = readonly (string | number)[];

export class SchemaMisfitError extends Error {
  constructor(place: SchemaPath, keyword: string, why: string) {
    super(`${keyword === "" ? "" : `"${keyword}" `}at ${toPointer(place) || "the root"} ${why}.`);
  }
}

/** Throws a SchemaMisfitError. */
export const toShapeExactly = (schema: unknown, place: SchemaPath = []): Shape => {
  const given = asObject(schema, place);
  const { name, nullable } = readType(given, place);
  const type = readStructure(name, given, place);
  refuseOthers(given, type, place);
  const shape: Shape = {
    type,
    ...(nullable ? { nullable } : {}),
    ...textOf(given, "description", place),
    ...enumOf(given, type, nullable, place),
    ...numberOf(given, "minimum", place),
    ...numberOf(given, "maximum", place),
    ...textOf(given, "pattern", place),
    ...textOf(given, "format", place),
  };
  return shape;
};

const asObject = (schema: unknown, place: SchemaPath): JsonSchema => {
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return schema as JsonSchema;
  throw new SchemaMisfitError(
    place,
    "",
    `is ${JSON.stringify(schema) ?? typeof schema}, but a signature needs a type`,
  );
};

const readType = (
  { type }: JsonSchema,
  place: SchemaPath,
): { readonly name: SimpleType; readonly nullable: boolean } => {
  const nullable = Array.isArray(type) && type.length === 2 && type[1] === "null";
  const name = nullable ? type[0] : type;
  if (name === undefined)
    throw new SchemaMisfitError(place, "type", "is missing, but a signature needs a type");
  if (typeof name === "string" && simpleTypeByName(name) === name) return { name, nullable };
  throw new SchemaMisfitError(place, "type", `is ${JSON.stringify(type)}, which a signature cannot express`);
};

const readStructure = (name: SimpleType, schema: JsonSchema, place: SchemaPath): SignatureType => {
  if (name === "array" && schema.items !== undefined) {
    const list = toShapeExactly(schema.items, [...place, "items"]);
    return { list };
  }
  const isClosed = ["properties", "required", "additionalProperties"].some(
    (each) => schema[each] !== undefined,
  );
  return name === "object" && isClosed ? { record: toFieldsExactly(schema, place) } : name;
};

/** Required fields follow the order of `required`. */
export const toFieldsExactly = (schema: JsonSchema, place: SchemaPath): readonly SignatureParameter[] => {
  const { required, additionalProperties } = schema;
  const properties = asObject(schema.properties, [...place, "properties"]);
  if (additionalProperties !== false) {
    throw new SchemaMisfitError(
      place,
      "additionalProperties",
      "is not false, but a signature must list all parameters",
    );
  }
  const names = Object.keys(properties);
  const refused = names.find((name) => name === "" || name === "__proto__");
  if (refused !== undefined)
    throw new SchemaMisfitError(place, "properties", `has the name ${JSON.stringify(refused)}`);
  if (!Array.isArray(required) || new Set(required).size !== required.length) {
    throw new SchemaMisfitError(place, "required", "must be a list of distinct names");
  }
  const stranger = required.find((each) => !Object.hasOwn(properties, each));
  if (stranger !== undefined) {
    throw new SchemaMisfitError(
      place,
      "required",
      `names ${JSON.stringify(stranger)}, which "properties" does not`,
    );
  }
  const wanted = new Set<unknown>(required);
  const inTurn = required.values();
  const ordered = names.map((name) => (wanted.has(name) ? (inTurn.next().value as string) : name));
  return ordered.map((name) =>
    toFieldExactly(name, properties[name], !wanted.has(name), [...place, "properties", name]),
  );
};

const toFieldExactly = (
  name: string,
  schema: unknown,
  optional: boolean,
  place: SchemaPath,
): SignatureParameter => {
  const { default: given, ...rest } = asObject(schema, place);
  const shape = toShapeExactly(rest, place);
  if (shape.nullable)
    throw new SchemaMisfitError(
      place,
      "type",
      "allows null, but an optional parameter must be omitted instead",
    );
  if (given === undefined) return { name, ...shape, optional };
  if (!optional)
    throw new SchemaMisfitError(
      place,
      "default",
      "is on a required property, but a default makes a property optional",
    );
  if (!isOfShape(shape, given as Json))
    throw new SchemaMisfitError(place, "default", "does not have the declared type");
  return { name, ...shape, optional, default: given as Json };
};

const textOf = (
  schema: JsonSchema,
  keyword: "description" | "pattern" | "format",
  place: SchemaPath,
): object => {
  const value = schema[keyword];
  if (value === undefined) return {};
  if (typeof value !== "string") throw new SchemaMisfitError(place, keyword, "is not a string");
  return { [keyword]: value };
};

const numberOf = (schema: JsonSchema, keyword: "minimum" | "maximum", place: SchemaPath): object => {
  const value = schema[keyword];
  if (value === undefined) return {};
  if (typeof value !== "number") throw new SchemaMisfitError(place, keyword, "is not a number");
  return { [keyword]: value };
};

const enumOf = (schema: JsonSchema, type: SignatureType, nullable: boolean, place: SchemaPath): object => {
  const all = schema.enum;
  if (all === undefined) return {};
  if (!Array.isArray(all) || all.length === 0)
    throw new SchemaMisfitError(place, "enum", "is not a list of values");
  if (nullable && all.at(-1) !== null)
    throw new SchemaMisfitError(place, "enum", "does not end with null, but the type allows null");
  const values = (nullable ? all.slice(0, -1) : all) as readonly Json[];
  if (values.length === 0 || !values.every((value) => isOfShape({ type }, value))) {
    throw new SchemaMisfitError(place, "enum", "has values of another type");
  }
  if (new Set(values.map((value) => canonicalJson(value))).size !== values.length) {
    throw new SchemaMisfitError(place, "enum", "has a duplicate value");
  }
  return { enum: values };
};

const refuseOthers = (schema: JsonSchema, type: SignatureType, place: SchemaPath): void => {
  const structure =
    typeof type === "string"
      ? []
      : "list" in type
        ? ["items"]
        : ["properties", "required", "additionalProperties"];
  const known: readonly string[] = ["type", "description", ...constraintsOf(type), ...structure];
  const odd = Object.keys(schema).find(
    (keyword) => schema[keyword] !== undefined && !known.includes(keyword),
  );
  if (odd !== undefined) throw new SchemaMisfitError(place, odd, "cannot be expressed in a signature");
};
