import { isObject } from "../../base/json/is-object.ts";
import type { JsonSchema } from "../../types/json.ts";

/** As much of a JSON Schema as tells what to look for in a text. The validator has the last word. */
export type ValueShape =
  | { readonly kind: "choice"; readonly values: readonly unknown[] }
  | { readonly kind: "string"; readonly format: string }
  | { readonly kind: "number"; readonly isInteger: boolean }
  | { readonly kind: "boolean" }
  | { readonly kind: "array"; readonly items: readonly ValueShape[] }
  | ObjectShape;

export interface ObjectShape {
  readonly kind: "object";
  readonly members: readonly ObjectMember[];
}

export interface ObjectMember {
  readonly key: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** What the value may be, in the order of the schema. */
  readonly shapes: readonly ValueShape[];
}

/** A schema may refer to itself, so what is read of it is counted. */
interface SchemaReader {
  readonly root: JsonSchema;
  left: number;
}

const maxSchemasRead = 400;
const maxDepth = 5;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const resolve = (reference: string, root: JsonSchema): unknown => {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
};

const readMembers = (schema: JsonSchema, reading: SchemaReader, depth: number): readonly ObjectMember[] => {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = listOf(schema.required).filter((key) => typeof key === "string");
  const keys = new Set([...Object.keys(properties), ...required]);
  const members: ObjectMember[] = [];
  for (const key of keys) {
    if (key === "__proto__" || reading.left-- <= 0) continue;
    const member = Object.hasOwn(properties, key) ? properties[key] : {};
    const description = isObject(member) && typeof member.description === "string" ? member.description : "";
    const shapes = readShapes(member, reading, depth - 1);
    members.push({ key, isRequired: required.includes(key), description, shapes });
  }
  return members;
};

const shapesByType = (
  type: unknown,
  schema: JsonSchema,
  reading: SchemaReader,
  depth: number,
): readonly ValueShape[] => {
  switch (type) {
    case "string":
      return [{ kind: "string", format: typeof schema.format === "string" ? schema.format : "" }];
    case "number":
    case "integer":
      return [{ kind: "number", isInteger: type === "integer" }];
    case "boolean":
      return [{ kind: "boolean" }];
    case "array":
      return [{ kind: "array", items: readShapes(schema.items ?? {}, reading, depth - 1) }];
    case "object":
      return [{ kind: "object", members: readMembers(schema, reading, depth) }];
    default:
      return [];
  }
};

const typesOf = (schema: JsonSchema): readonly unknown[] => {
  if (Array.isArray(schema.type)) return schema.type;
  if (schema.type !== undefined) return [schema.type];
  if (isObject(schema.properties) || Array.isArray(schema.required)) return ["object"];
  return ["anyOf", "oneOf", "allOf"].some((keyword) => keyword in schema) ? [] : ["string"];
};

/** Parts that must hold together: what each says of an object is put side by side. */
const mergeShapes = (shapes: readonly ValueShape[]): readonly ValueShape[] => {
  const objects = shapes.filter((shape) => shape.kind === "object");
  if (objects.length < 2) return shapes;
  const members = new Map<string, ObjectMember>();
  for (const member of objects.flatMap((shape) => shape.members)) {
    const other = members.get(member.key);
    members.set(member.key, { ...member, isRequired: member.isRequired || other?.isRequired === true });
  }
  return [{ kind: "object", members: [...members.values()] }];
};

const readShapes = (schema: unknown, reading: SchemaReader, depth: number): readonly ValueShape[] => {
  if (!isObject(schema) || depth <= 0 || reading.left-- <= 0) return [];
  if (typeof schema.$ref === "string")
    return readShapes(resolve(schema.$ref, reading.root), reading, depth - 1);
  if ("const" in schema) return [{ kind: "choice", values: [schema.const] }];
  if (Array.isArray(schema.enum)) return [{ kind: "choice", values: schema.enum }];
  const own = typesOf(schema).flatMap((type) => shapesByType(type, schema, reading, depth));
  const parts = listOf(schema.allOf).flatMap((part) => readShapes(part, reading, depth - 1));
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  return [
    ...mergeShapes([...own, ...parts]),
    ...choices.flatMap((part) => readShapes(part, reading, depth - 1)),
  ];
};

/** The arguments a tool takes, or nothing if they are no object. */
export const readShape = (input: JsonSchema): ObjectShape | undefined =>
  readShapes(input, { root: input, left: maxSchemasRead }, maxDepth).find((shape) => shape.kind === "object");
