import { hashText } from "../../base/json/hash.ts";
import { hashInput } from "../../base/json/hash-input.ts";
import { readJson } from "../../base/json/read-json.ts";
import { stringifyValue } from "../../base/json/stringify-value.ts";
import { isIdempotent } from "../../types/spec.ts";
import type { BoundCall } from "../call-state.ts";
import { unknownCallsOf } from "../recorder.ts";

export const callFingerprint = (tool: string, inputHash: string): string => `${tool}\n${inputHash}`;

/** The ledger keeps the hash even without the text. */
export const callTextFingerprint = (tool: string, textHash: string): string => `${tool}\ntext ${textHash}`;

/** The entries of this run whose effect is unknown, and that this call repeats. */
export const findRepeatedEntries = ({ request, registration, spec, input }: BoundCall): readonly string[] => {
  const unknown = unknownCallsOf(request.scope.tally);
  if (unknown === undefined || isIdempotent(spec)) return [];
  const text = stringifyValue(request.raw.input);
  const reading = readJson(text);
  const hashes = [hashInput(input), ...(reading.ok ? [hashInput(reading.value)] : [])];
  const found = [registration.key, request.raw.tool]
    .flatMap((tool) => [
      ...hashes.map((hash) => callFingerprint(tool, hash)),
      callTextFingerprint(tool, hashText(text)),
    ])
    .flatMap((fingerprint) => [...(unknown.get(fingerprint) ?? [])]);
  return [...new Set(found)];
};
