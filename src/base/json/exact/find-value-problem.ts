import { isForbiddenKey } from "../is-forbidden-key.ts";
import { isPlainObject } from "../is-plain-object.ts";
import { type JsonProblem, valueProblem } from "../json-problem.ts";
import { type JsonLimits, maxDepthOf, maxLengthOf } from "../limits.ts";

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
export const findValueProblem = (value: unknown, limits?: JsonLimits): JsonProblem =>
  new ValueProblemFinder(limits).find(value) ?? valueProblem([], "This value is not plain JSON data");
