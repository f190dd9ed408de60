import { suggestName } from "../../base/text/nearest.ts";
import type { Json } from "../../types/json.ts";

/** `null` is the result of a tool that returns nothing. */
export type SimpleType = "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";

/** The type of a parameter or result. */
export type SignatureType =
  | SimpleType
  | { readonly list: Shape }
  /** A closed object without additional properties. */
  | { readonly record: readonly SignatureParameter[] };

export interface Shape {
  readonly type: SignatureType;
  /** Where nothing can be omitted: a list item or a result. */
  readonly nullable?: true;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** A parameter or a field of a record. One with a default is optional. */
export interface SignatureParameter extends Shape {
  readonly name: string;
  readonly optional: boolean;
  readonly default?: Json;
}

export type SignatureForm = "classic" | "path";

/** A tool's parameters and result as frozen plain data, independent of the notation. */
export interface Signature {
  readonly form: SignatureForm;
  readonly parameters: readonly SignatureParameter[];
  readonly result: Shape;
  /** Whether the result was marked `IO`; it has no effect on the schema. */
  readonly effect: boolean;
}

const numericConstraints = ["enum", "minimum", "maximum"] as const;
const noConstraints = [] as const;

export type Constraint = "enum" | "minimum" | "maximum" | "pattern" | "format";

/** Others are refused. */
export const constraintsOf = (type: SignatureType): readonly Constraint[] => {
  if (type === "string") return ["enum", "pattern", "format"];
  if (type === "integer" || type === "number") return numericConstraints;
  return type === "boolean" ? ["enum"] : noConstraints;
};

const simpleTypesByName: ReadonlyMap<string, SimpleType> = new Map([
  ["text", "string"],
  ["string", "string"],
  ["int", "integer"],
  ["integer", "integer"],
  ["double", "number"],
  ["number", "number"],
  ["bool", "boolean"],
  ["boolean", "boolean"],
  ["object", "object"],
  ["array", "array"],
  ["null", "null"],
]);

export const simpleTypeByName = (name: string): SimpleType | undefined =>
  simpleTypesByName.get(name.toLowerCase());

export const classicNames: Readonly<Record<SimpleType, string>> = {
  string: "Text",
  integer: "Int",
  number: "Double",
  boolean: "Bool",
  object: "Object",
  array: "Array",
  null: "()",
};

export const pathNames: Readonly<Record<SimpleType, string>> = {
  string: "String",
  integer: "Integer",
  number: "Number",
  boolean: "Boolean",
  object: "Object",
  array: "Array",
  null: "Null",
};

const foreignTypeNames: Readonly<Record<string, string>> = {
  str: "Text",
  char: "Text",
  date: 'Text, in a path with {format: "date"}',
  datetime: 'Text, in a path with {format: "date-time"}',
  long: "Int",
  float: "Double",
  decimal: "Double",
  list: "[Text], or Array",
  map: "Object",
  record: "{name: Text}, or Object",
  optional: "Maybe",
  void: "(), in a path Null",
  unit: "(), in a path Null",
};

export const unknownTypeHint = (name: string): string => {
  const meant = foreignTypeNames[name.toLowerCase()];
  const all =
    "The types are Text or String, Int or Integer, Double or Number, Bool or Boolean, Object and Array.";
  return meant === undefined || !Object.hasOwn(foreignTypeNames, name.toLowerCase())
    ? `${suggestName(name, [...Object.values(classicNames).filter((each) => each !== "()"), ...Object.values(pathNames)])} ${all}`.trimStart()
    : `In this form it is called ${meant}. ${all}`;
};
