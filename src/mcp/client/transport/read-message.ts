import { isForbidden } from "../../../json/forbidden-keys.ts";

/** Schemas nest; nothing a person wrote nests this far. */
const maxDepth = 128;

export type ReadMessage =
  | { readonly ok: true; readonly value: unknown }
  /** `noise` is no JSON at all, as a banner is; `harm` is JSON that nobody sends by accident. */
  | { readonly ok: false; readonly kind: "noise" | "harm"; readonly reason: string };

const harm = (reason: string): ReadMessage => ({ ok: false, kind: "harm", reason });

/** Recursion is safe: it ends at the bound. */
const refuse = (value: object, depth: number): string | undefined => {
  if (depth > maxDepth) return `JSON nested deeper than ${maxDepth}`;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== "object" || item === null) continue;
      const reason = refuse(item, depth + 1);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (isForbidden(key, member)) return `a key ${key === "__proto__" ? key : "constructor.prototype"}`;
    if (typeof member !== "object" || member === null) continue;
    const reason = refuse(member, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

/** Why a value that came from outside is not let in. */
export const refuseValue = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? refuse(value, 1) : undefined;

/** The native parser first: nearly every line is good, and it is the fastest. Never throws. */
export const readMessage = (text: string): ReadMessage => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) return harm("JSON nested too deep to be read");
    return { ok: false, kind: "noise", reason: "a line that is not JSON" };
  }
  const reason = refuseValue(value);
  return reason === undefined ? { ok: true, value } : harm(reason);
};
