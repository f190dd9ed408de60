/** A value that is JSON, with its text; or why it cannot become one without losing something. */
export type PlainValue =
  | { readonly ok: true; readonly value: unknown; readonly text: string }
  | { readonly ok: false; readonly why: string };

const maxDepth = 256;
/** Parts that are shared count every time they occur, as they are written every time. */
const maxParts = 1_000_000;

class PlainValueError extends Error {}

const refuseValue = (why: string): never => {
  throw new PlainValueError(why);
};

/** Written as `{}`, whatever they hold. */
const isWrittenEmpty = (value: object): boolean =>
  value instanceof Map ||
  value instanceof Set ||
  value instanceof Promise ||
  value instanceof RegExp ||
  value instanceof Error ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value);

/** Counts what is copied, an empty place of an array too: a length alone may be four billion. */
interface CopyBudget {
  parts: number;
}

const spendParts = (room: CopyBudget, parts: number): void => {
  room.parts -= parts;
  if (room.parts < 0) refuseValue(`it has more than ${maxParts} parts`);
};

const copyArray = (items: readonly unknown[], depth: number, room: CopyBudget): unknown[] => {
  const { length } = items;
  spendParts(room, length);
  const copy: unknown[] = new Array(length);
  for (let index = 0; index < length; index++) copy[index] = copyValue(items[index], depth, room) ?? null;
  return copy;
};

const copyObject = (value: object, depth: number, room: CopyBudget): unknown => {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(value);
  spendParts(room, keys.length);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const member = copyValue((value as Record<string, unknown>)[key], depth, room);
    if (member === undefined) continue;
    if (key === "__proto__") Object.defineProperty(copy, key, { value: member, enumerable: true });
    else copy[key] = member;
  }
  return copy;
};

/** Each member is read once, so that what is written is what was looked at, whatever getters and proxies do. */
const copyValue = (value: unknown, depth: number, room: CopyBudget): unknown => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return value;
    case "number":
      if (!Number.isFinite(value)) refuseValue(`it holds ${value}, which JSON does not have`);
      // Minus zero is read but never written.
      return value === 0 ? 0 : value;
    case "object":
      return value === null ? null : copyContainer(value, depth + 1, room);
    default:
      return refuseValue(`it holds a ${typeof value}, which JSON does not have`);
  }
};

const copyContainer = (value: object, depth: number, room: CopyBudget): unknown => {
  if (depth > maxDepth) refuseValue(`it has more than ${maxDepth} levels, or holds itself`);
  spendParts(room, 1);
  if (Array.isArray(value)) return copyArray(value, depth, room);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return copyValue(Reflect.apply(toJSON, value, [""]), depth, room);
  if (isWrittenEmpty(value)) refuseValue(`it holds a ${value.constructor.name}, which JSON cannot say`);
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  return copyObject(value, depth, room);
};

/**
 * What the caller gets, what the schema judged and what the model is told are one value, read once. A date, or
 * anything else that says how it is written, becomes what is written; what would be lost in writing is refused.
 */
export const toPlainValue = (value: unknown): PlainValue => {
  if (value === undefined) return { ok: true, value, text: "null" };
  try {
    const copy = copyValue(value, 0, { parts: maxParts });
    if (copy === undefined) return { ok: false, why: "it is written as nothing at all" };
    return { ok: true, value: copy, text: JSON.stringify(copy) };
  } catch (error) {
    return {
      ok: false,
      why: error instanceof PlainValueError ? error.message : "it cannot be read or written",
    };
  }
};
