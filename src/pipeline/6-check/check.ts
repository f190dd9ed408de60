import type { Issue } from "../../types/json.ts";
import {
  type FailureOutcome,
  failed,
  hasOriginalParts,
  type Outcome,
  type ValueOutcome,
} from "../../types/outcome.ts";
import type { Registration, Validator } from "../../types/tool.ts";
import type { MediaLimits, PartsChecker } from "./check-parts.ts";

export interface CheckedOutcome {
  readonly outcome: Outcome;
  readonly text: string;
  readonly notes?: readonly string[] | undefined;
}

/** Runs outside the layers, so that cached, rewritten and final values are checked too. */
export const checkResult = (
  registration: Registration | undefined,
  outcome: Outcome,
  limits: MediaLimits,
  checkParts?: PartsChecker,
): CheckedOutcome => {
  if (registration === undefined || outcome._tag !== "value") return { outcome, text: "" };
  const { key, tool } = registration;
  const { maxResultBytes: maxBytes } = limits;
  const outputSchema = outcome.flow.kind === "handoff" ? undefined : tool.output;
  const checkedValue = checkValue(outputSchema, key, toPlainValue(outcome.value));
  if ("failure" in checkedValue) return { outcome: failed(checkedValue.failure, outcome.taints), text: "" };
  // A UTF-16 code unit has at most three UTF-8 bytes.
  const { text, value } = checkedValue;
  const isTooLarge =
    text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
  if (isTooLarge) return withholdResult(key, outcome, `it is larger than ${maxBytes} bytes`);
  const { parts: given, ...rest } = outcome;
  if (given === undefined) return { outcome: { ...outcome, value }, text };
  if (!hasOriginalParts(outcome)) return { outcome: { ...rest, value }, text, notes: replacedMediaNotes };
  const checked = checkParts?.(given, limits) ?? unreadableParts;
  if (!checked.ok) return withholdResult(key, outcome, checked.why);
  const { parts, left } = checked;
  return { outcome: { ...rest, value, ...(parts.length === 0 ? {} : { parts }) }, text, notes: left };
};

type PlainValue =
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

const replacedMediaNotes = Object.freeze(["left out: media of a value that a layer replaced"]);

const unreadableParts = Object.freeze({ ok: false, why: "its parts cannot be read" } as const);

const withholdResult = (key: string, { taints }: ValueOutcome, why: string): CheckedOutcome => ({
  outcome: failed(invalidOutputOutcome(key, why).failure, taints),
  text: "",
});

type ValueCheckResult = { readonly value: unknown; readonly text: string } | FailureOutcome;

const checkValue = (
  outputSchema: Validator | undefined,
  key: string,
  plain: PlainValue,
): ValueCheckResult => {
  if (!plain.ok) return invalidOutputOutcome(key, plain.why);
  if (outputSchema === undefined) return plain;
  const validation = outputSchema(plain.value);
  if (!validation.ok) {
    return invalidOutputOutcome(
      key,
      validation.issues.map((issue) => issue.message).join("; "),
      validation.issues,
    );
  }
  // The author's schema may return a different value.
  return validation.value === plain.value
    ? plain
    : checkValue(undefined, key, toPlainValue(validation.value));
};

const invalidOutputOutcome = (key: string, why: string, issues?: readonly Issue[]): FailureOutcome =>
  failed({
    code: "invalid_output",
    tool: key,
    ran: true,
    message: `The result of "${key}" is invalid: ${why}.`,
    ...(issues === undefined ? {} : { issues }),
  });
