import type { EvaluationContext } from "../evaluate/context.ts";
import { isMultipleOf } from "../keywords.ts";
import type { JsonType, PlainKeywords } from "../plain/plain-schema.ts";
import { alwaysValid, type CompiledCheck, everyCheck } from "./compiled-check.ts";

const typeChecks: Record<JsonType, CompiledCheck> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  string: (value) => typeof value === "string",
};

export const compileType = ({ type }: PlainKeywords): CompiledCheck => {
  if (type === undefined) return alwaysValid;
  const checks = type.map((each) => typeChecks[each]);
  const [first] = checks;
  return checks.length === 1 && first !== undefined ? first : (value) => checks.some((check) => check(value));
};

export const compileChoice = (
  context: EvaluationContext,
  { enum: identical, values }: PlainKeywords,
): CompiledCheck => {
  const ofIdentical = identical === undefined ? alwaysValid : setCheck(identical);
  const ofValues = values === undefined ? alwaysValid : (value: unknown) => context.fits(values, value);
  return everyCheck([ofIdentical, ofValues]);
};

const setCheck = (values: readonly unknown[]): CompiledCheck => {
  const set = new Set(values);
  return (value) => set.has(value);
};

export const compileNumber = (node: PlainKeywords): CompiledCheck => {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = node;
  const bounds: ((value: number) => boolean)[] = [];
  if (minimum !== undefined) bounds.push((value) => value >= minimum);
  if (exclusiveMinimum !== undefined) bounds.push((value) => value > exclusiveMinimum);
  if (maximum !== undefined) bounds.push((value) => value <= maximum);
  if (exclusiveMaximum !== undefined) bounds.push((value) => value < exclusiveMaximum);
  if (multipleOf !== undefined) bounds.push((value) => isMultipleOf(value, multipleOf));
  if (bounds.length === 0) return alwaysValid;
  const holds = everyCheck(bounds as CompiledCheck[]);
  return (value) => typeof value !== "number" || holds(value);
};

export const compileString = (context: EvaluationContext, node: PlainKeywords): CompiledCheck => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = node;
  const checks: CompiledCheck[] = [];
  if (minLength > 0 || maxLength !== Number.POSITIVE_INFINITY) {
    checks.push((value) => typeof value !== "string" || isBetween(value, minLength, maxLength));
  }
  if (pattern !== undefined) {
    const matcher = context.matcher(pattern);
    checks.push((value) => typeof value !== "string" || matcher.test(value));
  }
  if (format !== undefined) checks.push((value) => context.isFormat(format, value));
  return everyCheck(checks);
};

/** A text has at most as many characters as code units and at least half. */
const isBetween = (text: string, min: number, max: number): boolean => {
  const units = text.length;
  if (units < min || units > max * 2) return false;
  if (units <= max && units >= min * 2) return true;
  let length = 0;
  for (const _ of text) length++;
  return length >= min && length <= max;
};
