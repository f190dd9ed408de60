import type { Json } from "../../../types/json.ts";
import type { Position } from "../document.ts";
import { readSignature } from "../read-signature.ts";
import type { DiagnosticCollector } from "../signature/diagnostic-collector.ts";
import { signatureToOutputSchema, signatureToSchema } from "../signature-to-schema.ts";
import type { RecordFields } from "./record-fields.ts";

/** An unreadable signature is ignored if the tool has an input schema. */
export const readTextSignature = (
  { values, complain }: RecordFields,
  begin: (text: string) => Position | undefined,
  problems: DiagnosticCollector,
): { readonly input?: Json; readonly output?: Json } => {
  const { signature: text } = values;
  if (typeof text !== "string") return {};
  const reading = readSignature(text);
  if (reading.ok) {
    const { signature } = reading;
    return {
      input: signatureToSchema(signature) as Json,
      output: signatureToOutputSchema(signature) as Json,
    };
  }
  if (values.input !== undefined || values.noSchemaMode !== undefined) return {};
  const from = begin(text);
  for (const { code, line, column, offset, message, hint = "" } of reading.diagnostics) {
    const what = message.replace(/\.$/, "");
    if (from === undefined) complain(code, "signature", `In its signature, ${line}:${column}: ${what}`, hint);
    else {
      const at = { line: from.line, column: from.column + column - 1, offset: from.offset + offset };
      problems.add(code, at, what, hint);
    }
  }
  return { input: { type: "object" } };
};
