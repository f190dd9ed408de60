import { freezeJson } from "../../base/json/freeze-json.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import { readSignature } from "./read-signature.ts";
import { shapeToSchema } from "./signature/shape-to-schema.ts";
import type { Signature } from "./signature-types.ts";

/**
 * What a tool of this signature takes, as JSON Schema 2020-12: one closed object over the parameters in their order,
 * `required` always there. Throws a ToolDefinitionError for a text that is no signature.
 */
export const signatureToSchema = (signature: Signature | string): JsonSchema =>
  freezeJson(shapeToSchema({ type: { record: toSignature(signature).parameters } }));

/** What a tool of this signature gives. */
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
