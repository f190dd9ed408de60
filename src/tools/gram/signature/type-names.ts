import { suggestName } from "../../../base/text/nearest.ts";
import type { SimpleType } from "../signature-types.ts";

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
