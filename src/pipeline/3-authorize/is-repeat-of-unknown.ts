import { hashInput, hashText } from "../../base/json/canonical-json.ts";
import { stringifyValue } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { isIdempotent } from "../../types/tool.ts";
import type { BoundCall } from "../call-state.ts";
import { unknownCallsOf } from "../recorder.ts";

export const callFingerprint = (tool: string, inputHash: string): string => `${tool}\n${inputHash}`;

/** The ledger keeps the hash even without the text. */
export const callTextFingerprint = (tool: string, textHash: string): string => `${tool}\ntext ${textHash}`;

export const isRepeatOfUnknown = ({ request, registration, spec, input }: BoundCall): boolean => {
  const unknown = unknownCallsOf(request.scope.tally);
  if (unknown === undefined || isIdempotent(spec)) return false;
  const text = stringifyValue(request.raw.input);
  const reading = readJson(text);
  const written = reading.ok ? hashInput(reading.value) : undefined;
  return [registration.key, request.raw.tool].some(
    (tool) =>
      unknown.has(callFingerprint(tool, hashInput(input))) ||
      (written !== undefined && unknown.has(callFingerprint(tool, written))) ||
      unknown.has(callTextFingerprint(tool, hashText(text))),
  );
};
