import { freezeJson } from "../../base/json/freeze-json.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import { readSignature } from "./read-signature.ts";
import { shapeToSchema } from "./signature/shape-to-schema.ts";
import type { Signature } from "./signature-types.ts";

/**
 * The input schema of a signature in JSON Schema 2020-12: one closed object with the parameters in order,
 * always with `required`. Throws a ToolDefinitionError for an unreadable text.
 */
export const signatureToSchema = (signature: Signature | string): JsonSchema =>
  freezeJson(shapeToSchema({ type: { record: toSignature(signature).parameters } }));

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
