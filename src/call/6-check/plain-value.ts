/** A value that is JSON, with its text; or why it cannot become one without losing something. */
export type PlainValue =
  | { readonly ok: true; readonly value: unknown; readonly text: string }
  | { readonly ok: false; readonly why: string };

const deepest = 256;
/** Parts that are shared count every time they occur, as they are written every time. */
const mostParts = 1_000_000;
let parts = 0;

type Look = "plain" | "changes" | { readonly why: string };

const refused = (why: string): Look => ({ why });

const worse = (one: Look, other: Look): Look => (typeof other === "object" || one === "plain" ? other : one);

/** Written as `{}`, whatever they hold. */
const isEmptied = (value: object): boolean =>
  value instanceof Map ||
  value instanceof Set ||
  value instanceof Promise ||
  value instanceof RegExp ||
  value instanceof Error ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value);

const lookInside = (value: object, depth: number): Look => {
  if (depth > deepest) return refused(`it has more than ${deepest} levels, or holds itself`);
  if (++parts > mostParts) return refused(`it has more than ${mostParts} parts`);
  if (Array.isArray(value)) {
    let found: Look = "plain";
    for (let index = 0; index < value.length; index++) {
      found = worse(found, look(value[index], depth));
      if (typeof found === "object") return found;
    }
    return found;
  }
  if (isEmptied(value)) return refused(`it holds a ${value.constructor.name}, which JSON cannot say`);
  const prototype = Object.getPrototypeOf(value);
  let found: Look = prototype === Object.prototype || prototype === null ? "plain" : "changes";
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === "function") return "changes";
  // Of a plain object this lists its own members, and makes no list to do so.
  for (const key in value) {
    if (found === "changes" && !Object.hasOwn(value, key)) continue;
    found = worse(found, look((value as Record<string, unknown>)[key], depth));
    if (typeof found === "object") return found;
  }
  return found;
};

const look = (value: unknown, depth: number): Look => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return "plain";
    case "number":
      return Number.isFinite(value) ? "plain" : refused(`it holds ${value}, which JSON does not have`);
    case "undefined":
      return "changes";
    case "object":
      return value === null ? "plain" : lookInside(value, depth + 1);
    default:
      return refused(`it holds a ${typeof value}, which JSON does not have`);
  }
};

/**
 * What the caller gets and what the model is told are the same. A date, or anything else that says how it is
 * written, becomes what is written; what would be lost in writing is refused.
 */
export const toPlainValue = (value: unknown): PlainValue => {
  if (value === undefined) return { ok: true, value, text: "null" };
  try {
    parts = 0;
    const seen = look(value, 0);
    if (typeof seen === "object") return { ok: false, why: seen.why };
    const text = JSON.stringify(value);
    if (seen === "plain") return { ok: true, value, text };
    return text === undefined
      ? { ok: false, why: "it is written as nothing at all" }
      : { ok: true, value: JSON.parse(text), text };
  } catch {
    return { ok: false, why: "it cannot be read or written" };
  }
};
