import type { JudgeContext } from "../judge/context.ts";
import { isMultipleOf } from "../keywords.ts";
import type { JsonType, PlainKeywords } from "../plain/plain-schema.ts";
import { all, always, type CompiledCheck } from "./check.ts";

const types: Record<JsonType, CompiledCheck> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  string: (value) => typeof value === "string",
};

export const compileType = ({ type }: PlainKeywords): CompiledCheck => {
  if (type === undefined) return always;
  const checks = type.map((each) => types[each]);
  const [first] = checks;
  return checks.length === 1 && first !== undefined ? first : (value) => checks.some((check) => check(value));
};

export const compileChoice = (
  context: JudgeContext,
  { enum: identical, values }: PlainKeywords,
): CompiledCheck => {
  const ofIdentical = identical === undefined ? always : inSet(identical);
  const ofValues = values === undefined ? always : (value: unknown) => context.fits(values, value);
  return all([ofIdentical, ofValues]);
};

const inSet = (values: readonly unknown[]): CompiledCheck => {
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
  if (bounds.length === 0) return always;
  const holds = all(bounds as CompiledCheck[]);
  return (value) => typeof value !== "number" || holds(value);
};

export const compileString = (context: JudgeContext, node: PlainKeywords): CompiledCheck => {
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
  return all(checks);
};

/** Counts characters, of which there are at most as many as code units and at least half. */
const isBetween = (text: string, least: number, most: number): boolean => {
  const units = text.length;
  if (units < least || units > most * 2) return false;
  if (units <= most && units >= least * 2) return true;
  let length = 0;
  for (const _ of text) length++;
  return length >= least && length <= most;
};
