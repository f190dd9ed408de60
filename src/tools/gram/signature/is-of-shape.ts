import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { Json } from "../../../types/json.ts";
import type { Shape } from "../signature-types.ts";

/** Patterns and formats are left to the validator. */
export const isOfShape = (shape: Omit<Shape, "description">, value: Json): boolean => {
  if (value === null) return shape.nullable === true || shape.type === "null";
  if (shape.enum !== undefined && !shape.enum.some((each) => canonicalJson(each) === canonicalJson(value))) {
    return false;
  }
  if (typeof value === "number") {
    if (shape.minimum !== undefined && value < shape.minimum) return false;
    if (shape.maximum !== undefined && value > shape.maximum) return false;
  }
  return isOfSimpleType(shape.type, value);
};

const isOfSimpleType = (type: Shape["type"], value: Json): boolean => {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && !Array.isArray(value);
    case "null":
      return false;
    default:
      return isOfStructure(type, value);
  }
};

const isOfStructure = (type: Exclude<Shape["type"], string>, value: Json): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if ("list" in type) return Array.isArray(value) && value.every((item) => isOfShape(type.list, item));
  if (Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: Json };
  const isKnown = Object.keys(members).every((key) => type.record.some((field) => field.name === key));
  return (
    isKnown &&
    type.record.every((field) => {
      const member = Object.hasOwn(members, field.name) ? members[field.name] : undefined;
      return member === undefined ? field.optional : isOfShape(field, member);
    })
  );
};
