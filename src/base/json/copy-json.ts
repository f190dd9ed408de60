import { findValueProblem } from "./exact/find-value-problem.ts";
import { isForbiddenKey } from "./is-forbidden-key.ts";
import { isPlainObject } from "./is-plain-object.ts";
import type { JsonReading } from "./json-problem.ts";
import { type JsonLimits, maxDepthOf, maxLengthOf } from "./limits.ts";

/** `findValueProblem` determines the reason afterwards. */
const notJson = Symbol();

/** Counted as in JSON text without escapes. */
interface LengthBudget {
  left: number;
}

const copyArray = (items: readonly unknown[], depth: number, budget: LengthBudget): unknown => {
  budget.left -= items.length + 2;
  if (budget.left < 0) return notJson;
  const copy: unknown[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = copyValue(items[i], depth, budget);
    if (item === notJson) return notJson;
    copy.push(item);
  }
  return copy;
};

const copyObject = (value: object, depth: number, budget: LengthBudget): unknown => {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const given = (value as Record<string, unknown>)[key];
    if (given === undefined) continue;
    budget.left -= key.length + 4;
    const member = copyValue(given, depth, budget);
    if (member === notJson || isForbiddenKey(key, member)) return notJson;
    copy[key] = member;
  }
  return copy;
};

const copyValue = (value: unknown, depth: number, budget: LengthBudget): unknown => {
  switch (typeof value) {
    case "string":
      budget.left -= value.length + 2;
      return budget.left < 0 ? notJson : value;
    case "number":
      return Number.isFinite(value) ? value : notJson;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (depth === 0 || budget.left < 0) return notJson;
      if (Array.isArray(value)) return copyArray(value, depth - 1, budget);
      return isPlainObject(value) ? copyObject(value, depth - 1, budget) : notJson;
    default:
      return notJson;
  }
};

/**
 * Refuses values that JSON cannot hold: calling `toJSON` would give a tool a value that was never in the
 * arguments. Never throws.
 */
export const copyJson = (value: unknown, limits?: JsonLimits): JsonReading => {
  try {
    const copy = copyValue(value, maxDepthOf(limits), { left: maxLengthOf(limits) });
    if (copy !== notJson) return { ok: true, value: copy };
  } catch {
    // `findValueProblem` reports the reason.
  }
  return { ok: false, problem: findValueProblem(value, limits) };
};
