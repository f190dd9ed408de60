import { copyJson } from "../../base/json/copy-json.ts";
import type { JsonReading } from "../../base/json/json-problem.ts";
import { cassetteJsonLimits } from "./cassette-file.ts";

/** A date becomes text, as for a model. Fails if information would be lost. */
export const toCassetteJson = (value: unknown): JsonReading => {
  if (value === undefined) return { ok: true, value };
  const copy = copyJson(value, cassetteJsonLimits);
  if (copy.ok) return copy;
  try {
    const text = JSON.stringify(value, rejectLossyValue);
    return text === undefined ? copy : copyJson(JSON.parse(text), cassetteJsonLimits);
  } catch {
    return copy;
  }
};

/** Checks the member itself too, because `written` is the result of its `toJSON`. */
function rejectLossyValue(this: unknown, key: string, written: unknown): unknown {
  if (isLossyInJson((this as Record<string, unknown>)[key]) || isLossyInJson(written))
    throw new TypeError("not JSON");
  return written;
}

const isLossyInJson = (value: unknown): boolean =>
  typeof value === "function" ||
  typeof value === "symbol" ||
  (typeof value === "number" && !Number.isFinite(value)) ||
  value instanceof Map ||
  value instanceof Set ||
  value instanceof Promise ||
  value instanceof RegExp ||
  value instanceof Error ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value);
