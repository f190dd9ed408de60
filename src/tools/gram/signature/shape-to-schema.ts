import type { JsonSchema } from "../../../types/json.ts";
import type { Shape, SignatureParameter } from "../signature-types.ts";

/** Equal shapes give equal text. */
export const shapeToSchema = (shape: Shape): JsonSchema => {
  const { type, nullable, description, minimum, maximum, pattern, format } = shape;
  const given = (shape as Partial<SignatureParameter>).default;
  const values = shape.enum === undefined || nullable !== true ? shape.enum : [...shape.enum, null];
  const name = typeof type === "string" ? type : "list" in type ? "array" : "object";
  return {
    type: nullable === true && name !== "null" ? [name, "null"] : name,
    ...(description === undefined ? {} : { description }),
    ...(given === undefined ? {} : { default: given }),
    ...(values === undefined ? {} : { enum: values }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(format === undefined ? {} : { format }),
    ...(typeof type === "object" && "list" in type ? { items: shapeToSchema(type.list) } : {}),
    ...(typeof type === "object" && "record" in type ? closedObject(type.record) : {}),
  };
};

const closedObject = (fields: readonly SignatureParameter[]): JsonSchema => ({
  properties: Object.fromEntries(fields.map((field) => [field.name, shapeToSchema(field)])),
  required: fields.filter((field) => !field.optional).map((field) => field.name),
  additionalProperties: false,
});
