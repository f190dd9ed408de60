import {
  type JsonLimits,
  type JsonProblem,
  type JsonReading,
  maxDepthOf,
  maxLengthOf,
  valueProblem,
} from "./json-problem.ts";
import { isForbiddenKey, isPlainObject } from "./json-value.ts";

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

const instanceAdvice: Record<string, string> = {
  Date: "pass its toISOString() text",
  Map: "pass Object.fromEntries(map)",
  Set: "pass [...set]",
  URL: "pass its href text",
  Error: "pass its message",
  Promise: "await it first",
  RegExp: "pass its source text",
};

const instanceRefusal = (value: object): string => {
  const made: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  const name = typeof made === "string" && made !== "" && made !== "Object" ? made : "a class";
  const advice = Object.hasOwn(instanceAdvice, name)
    ? instanceAdvice[name]
    : "toJSON" in value
      ? "pass plain data; its toJSON is not called"
      : "pass plain data";
  return `An instance of ${name.slice(0, 40)} is not JSON; ${advice}`;
};

const leafRefusal = (value: unknown): string | undefined => {
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : `${value} is not JSON; pass null or a string`;
  }
  if (typeof value === "bigint") return "A bigint is not JSON; pass it as a string";
  if (value === undefined) return "undefined is not JSON; pass null or omit it";
  if (typeof value === "function" || typeof value === "symbol") {
    return `A ${typeof value} is not JSON; pass plain data`;
  }
  return undefined;
};

class ValueProblemFinder {
  readonly #path: (string | number)[] = [];
  readonly #open: object[] = [];
  readonly #maxDepth: number;
  readonly #maxLength: number;
  #length = 0;

  constructor(limits?: JsonLimits) {
    this.#maxDepth = maxDepthOf(limits);
    this.#maxLength = maxLengthOf(limits);
  }

  find(value: unknown): JsonProblem | undefined {
    try {
      return this.#value(value);
    } catch {
      return this.#problem("Reading this value threw an error; pass plain data");
    }
  }

  #value(value: unknown): JsonProblem | undefined {
    const refusal = leafRefusal(value);
    if (refusal !== undefined) return this.#problem(refusal);
    if (typeof value === "string") return this.#take(value.length + 2);
    if (typeof value !== "object" || value === null) return undefined;
    if (this.#open.includes(value))
      return this.#problem("This value contains itself; pass data without cycles");
    if (this.#open.length >= this.#maxDepth) {
      return this.#problem(`Arrays and objects are nested deeper than ${this.#maxDepth} levels`);
    }
    this.#open.push(value);
    const problem = Array.isArray(value) ? this.#array(value) : this.#object(value);
    if (problem === undefined) this.#open.pop();
    return problem;
  }

  #array(items: readonly unknown[]): JsonProblem | undefined {
    let problem = this.#take(items.length + 2);
    for (let i = 0; i < items.length && problem === undefined; i++) problem = this.#member(i, () => items[i]);
    return problem;
  }

  #object(value: object): JsonProblem | undefined {
    if (!isPlainObject(value)) return this.#problem(instanceRefusal(value));
    for (const key of Object.keys(value)) {
      const problem = this.#member(key, () => (value as Record<string, unknown>)[key]);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** A throwing getter is reported at its own pointer. */
  #member(step: string | number, read: () => unknown): JsonProblem | undefined {
    this.#path.push(step);
    const value = read();
    const isDropped = value === undefined && typeof step === "string";
    const problem = isDropped ? undefined : (this.#key(step, value) ?? this.#value(value));
    if (problem === undefined) this.#path.pop();
    return problem;
  }

  #key(step: string | number, value: unknown): JsonProblem | undefined {
    if (typeof step === "number") return undefined;
    if (isForbiddenKey(step, value)) {
      const what = step === "constructor" ? '"constructor" with "prototype" inside' : `"${step}"`;
      return this.#problem(`The key ${what} is never accepted; remove it`);
    }
    return this.#take(step.length + 4);
  }

  #take(length: number): JsonProblem | undefined {
    this.#length += length;
    if (this.#length <= this.#maxLength) return undefined;
    return this.#problem(`The value is larger than ${this.#maxLength} characters of JSON`);
  }

  #problem(what: string): JsonProblem {
    return valueProblem(this.#path, what);
  }
}

/** A value that changed between the two reads stays refused. */
const findValueProblem = (value: unknown, limits?: JsonLimits): JsonProblem =>
  new ValueProblemFinder(limits).find(value) ?? valueProblem([], "This value is not plain JSON data");
