export type PlainValue =
  | { readonly ok: true; readonly value: unknown; readonly text: string }
  | { readonly ok: false; readonly why: string };

const maxDepth = 256;
const maxParts = 1_000_000;

class PlainValueError extends Error {}

const refuseValue = (why: string): never => {
  throw new PlainValueError(why);
};

/** `JSON.stringify` writes these as `{}`. */
const isWrittenEmpty = (value: object): boolean =>
  value instanceof Map ||
  value instanceof Set ||
  value instanceof Promise ||
  value instanceof RegExp ||
  value instanceof Error ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value);

/** Holes count too: a sparse array can have a length of four billion. */
interface CopyBudget {
  parts: number;
}

const spendParts = (budget: CopyBudget, parts: number): void => {
  budget.parts -= parts;
  if (budget.parts < 0) refuseValue(`it has more than ${maxParts} parts`);
};

const copyArray = (items: readonly unknown[], depth: number, budget: CopyBudget): unknown[] => {
  const { length } = items;
  spendParts(budget, length);
  const copy: unknown[] = new Array(length);
  for (let index = 0; index < length; index++) copy[index] = copyValue(items[index], depth, budget) ?? null;
  return copy;
};

const copyObject = (value: object, depth: number, budget: CopyBudget): unknown => {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(value);
  spendParts(budget, keys.length);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const member = copyValue((value as Record<string, unknown>)[key], depth, budget);
    if (member === undefined) continue;
    if (key === "__proto__") Object.defineProperty(copy, key, { value: member, enumerable: true });
    else copy[key] = member;
  }
  return copy;
};

/** Reads each member once, so that the written value is the validated one. */
const copyValue = (value: unknown, depth: number, budget: CopyBudget): unknown => {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return value;
    case "number":
      if (!Number.isFinite(value)) refuseValue(`it contains ${value}, which JSON does not have`);
      return value === 0 ? 0 : value;
    case "object":
      return value === null ? null : copyContainer(value, depth + 1, budget);
    default:
      return refuseValue(`it contains a ${typeof value}, which JSON does not have`);
  }
};

const copyContainer = (value: object, depth: number, budget: CopyBudget): unknown => {
  if (depth > maxDepth) refuseValue(`it has more than ${maxDepth} levels, or contains itself`);
  spendParts(budget, 1);
  if (Array.isArray(value)) return copyArray(value, depth, budget);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return copyValue(Reflect.apply(toJSON, value, [""]), depth, budget);
  if (isWrittenEmpty(value))
    refuseValue(`it contains a ${value.constructor.name}, which JSON cannot represent`);
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  return copyObject(value, depth, budget);
};

/** The caller, the schema and the model use this copy. Values that would lose data are rejected. */
export const toPlainValue = (value: unknown): PlainValue => {
  if (value === undefined) return { ok: true, value, text: "null" };
  try {
    const copy = copyValue(value, 0, { parts: maxParts });
    if (copy === undefined) return { ok: false, why: "it has no JSON form" };
    return { ok: true, value: copy, text: JSON.stringify(copy) };
  } catch (error) {
    return {
      ok: false,
      why: error instanceof PlainValueError ? error.message : "it cannot be read or written",
    };
  }
};
