import { hashText } from "../../json/hash.ts";
import { hashInput } from "../../json/hash-input.ts";
import { readJson } from "../../json/read-json.ts";
import { toText } from "../../json/to-text.ts";
import { isIdempotent } from "../../words/spec.ts";
import type { BoundCall } from "../call-state.ts";
import { unknownCalls } from "../recorder.ts";

/** What stands for a call in a run's list of unknown ones: its arguments as the code got them, or as they were written. */
export const sameCall = (tool: string, inputHash: string): string => `${tool}\n${inputHash}`;

/** The same by the hash of the exact text, which is on record even where the text is not. */
export const sameText = (tool: string, textHash: string): string => `${tool}\ntext ${textHash}`;

/** Whether this is once more a call of this run of which nobody knows whether it took effect. */
export const repeatsUnknown = ({ request, registration, spec, input }: BoundCall): boolean => {
  const unknown = unknownCalls(request.scope.tally);
  if (unknown === undefined || isIdempotent(spec)) return false;
  const text = toText(request.raw.input);
  const reading = readJson(text);
  const written = reading.ok ? hashInput(reading.value) : undefined;
  return [registration.key, request.raw.tool].some(
    (tool) =>
      unknown.has(sameCall(tool, hashInput(input))) ||
      (written !== undefined && unknown.has(sameCall(tool, written))) ||
      unknown.has(sameText(tool, hashText(text))),
  );
};
