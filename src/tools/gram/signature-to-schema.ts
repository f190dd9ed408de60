import { freezeJson } from "../../base/json/json-value.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import { readSignature } from "./read-signature.ts";
import type { Shape, Signature, SignatureParameter } from "./signature-types.ts";

/**
 * The input schema of a signature in JSON Schema 2020-12: one closed object with the parameters in order,
 * always with `required`. Throws a ToolDefinitionError for an unreadable text.
 */
export const signatureToSchema = (signature: Signature | string): JsonSchema =>
  freezeJson(shapeToSchema({ type: { record: toSignature(signature).parameters } }));

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

/** The output schema of a signature. */
export const signatureToOutputSchema = (signature: Signature | string): JsonSchema =>
  freezeJson(shapeToSchema(toSignature(signature).result));

const toSignature = (signature: Signature | string): Signature => {
  if (typeof signature !== "string") return signature;
  const reading = readSignature(signature);
  if (reading.ok) return reading.signature;
  const why = reading.diagnostics.map(
    ({ line, column, message, hint }) =>
      `${line}:${column} ${message}${hint === undefined ? "" : ` ${hint}`}`,
  );
  throw new ToolDefinitionError("invalid_definition", `The signature is not readable. ${why.join(" ")}`);
};
