import { copyJson } from "../../json/copy-json.ts";
import type { JsonReading } from "../../json/problem.ts";
import { tapeLimits } from "./tape.ts";

/**
 * A value as it would be written: a date becomes its text, as it does on its way to a model. What would be lost in
 * writing is refused.
 */
export const plainJson = (value: unknown): JsonReading => {
  if (value === undefined) return { ok: true, value };
  const copy = copyJson(value, tapeLimits);
  if (copy.ok) return copy;
  try {
    const text = JSON.stringify(value, refuseLost);
    return text === undefined ? copy : copyJson(JSON.parse(text), tapeLimits);
  } catch {
    return copy;
  }
};

/** Looks at the member itself: what it would like to be written as comes too late. */
function refuseLost(this: unknown, key: string, written: unknown): unknown {
  if (isLost((this as Record<string, unknown>)[key]) || isLost(written)) throw new TypeError("not JSON");
  return written;
}

const isLost = (value: unknown): boolean =>
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
