import { isSymbol } from "../characters.ts";
import type { Parameter, Shape, Signature } from "../signature-types.ts";
import { Misfit } from "./fit-schema.ts";
import { classicNames } from "./type-names.ts";

/** The signature as classic text; throws a Misfit for what that form has no words for. */
export const writeClassic = ({ parameters, result, effect }: Signature): string =>
  `(${writeFields(parameters, [])}) --> ${effect ? "IO " : ""}${writeShape(result, ["result"])}`;

const writeFields = (fields: readonly Parameter[], place: readonly string[]): string =>
  fields.map((field) => writeField(field, [...place, "properties", field.name])).join(", ");

const writeField = (field: Parameter, place: readonly string[]): string => {
  const { name, optional, default: given, ...shape } = field;
  if (!isSymbol(name)) throw new Misfit(place, "", "has a name that the classic form cannot write");
  if (given !== undefined) throw new Misfit(place, "default", "has no place in the classic form");
  return `${name}: ${optional ? "Maybe " : ""}${writeShape(shape, place)}`;
};

const writeShape = (shape: Shape, place: readonly string[]): string => {
  const { type, nullable, ...constraints } = shape;
  const [keyword] = Object.keys(constraints);
  if (keyword !== undefined) throw new Misfit(place, keyword, "has no place in the classic form");
  const maybe = nullable === true ? "Maybe " : "";
  if (typeof type === "string") return maybe + classicNames[type];
  if ("list" in type) return `${maybe}[${writeShape(type.list, [...place, "items"])}]`;
  return `${maybe}{${writeFields(type.record, place)}}`;
};
