import { isForbiddenKey } from "../../../base/json/is-forbidden-key.ts";

const maxDepth = 128;

export type ReadMessageResult =
  | { readonly ok: true; readonly value: unknown }
  /** `noise` is not JSON, such as a banner; `harm` is never accidental. */
  | { readonly ok: false; readonly kind: "noise" | "harm"; readonly reason: string };

const harmfulMessage = (reason: string): ReadMessageResult => ({ ok: false, kind: "harm", reason });

const nestingProblem = (value: object, depth: number): string | undefined => {
  if (depth > maxDepth) return `JSON nested deeper than ${maxDepth}`;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== "object" || item === null) continue;
      const reason = nestingProblem(item, depth + 1);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (isForbiddenKey(key, member)) return `a key ${key === "__proto__" ? key : "constructor.prototype"}`;
    if (typeof member !== "object" || member === null) continue;
    const reason = nestingProblem(member, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

export const messageValueProblem = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? nestingProblem(value, 1) : undefined;

/** Never throws. */
export const readMessage = (text: string): ReadMessageResult => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) return harmfulMessage("JSON nested too deep to be read");
    return { ok: false, kind: "noise", reason: "a line that is not JSON" };
  }
  const reason = messageValueProblem(value);
  return reason === undefined ? { ok: true, value } : harmfulMessage(reason);
};
