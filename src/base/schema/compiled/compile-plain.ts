import { type EvaluationContext, type SchemaEvaluator, spendEvaluationStep } from "../evaluate/context.ts";
import { unevaluatedIndexes } from "../evaluate/unevaluated.ts";
import { findDuplicate, isMultipleOf } from "../keywords.ts";
import {
  definitionIndexOf,
  type JsonType,
  type PlainKeywords,
  type PlainNode,
} from "../plain/plain-schema.ts";
import { alwaysValid, type CompiledCheck, compileObject, everyCheck, neverValid } from "./objects.ts";

export type NodeCompiler = (node: PlainNode) => CompiledCheck;

/** Generates no source code, so it works where `eval` is forbidden. */
export const compilePlain = (evaluator: SchemaEvaluator): CompiledCheck => {
  const { definitions, recursive } = evaluator.context.schema;
  const compiled: (CompiledCheck | undefined)[] = [];

  const compile: NodeCompiler = (node) => {
    if (typeof node === "boolean") return node ? alwaysValid : neverValid;
    return everyCheck([
      compileType(node),
      compileChoice(evaluator.context, node),
      compileNumber(node),
      compileString(evaluator.context, node),
      compileArray(evaluator, node, compile),
      compileObject(evaluator, node, compile),
      ...compileInPlace(node, compile, refer),
    ]);
  };

  /** Resolved on use, because definitions may be recursive. */
  const refer = (reference: string): CompiledCheck => {
    const number = definitionIndexOf(reference);
    const target = (value: unknown): boolean => {
      compiled[number] ??= compile(definitions[number]!);
      return compiled[number](value);
    };
    return recursive.has(number) ? (value) => spendEvaluationStep() && target(value) : target;
  };

  return compile(definitions[0]!);
};

type ItemsCheck = (items: readonly unknown[]) => boolean;

const compileArray = (
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  compile: NodeCompiler,
): CompiledCheck => {
  const checks: ItemsCheck[] = [];
  const { minItems, maxItems, prefixItems, items, contains, unevaluatedItems } = node;
  if (minItems !== undefined) checks.push((list) => list.length >= minItems);
  if (maxItems !== undefined) checks.push((list) => list.length <= maxItems);
  if (prefixItems !== undefined) checks.push(prefixCheck(prefixItems.map(compile)));
  if (items !== undefined) checks.push(restCheck(compile(items), prefixItems?.length ?? 0));
  if (contains !== undefined) checks.push(containsCheck(compile(contains), node));
  if (node.uniqueItems === true) checks.push((list) => findDuplicate(list) === undefined);
  if (unevaluatedItems !== undefined) {
    const check = compile(unevaluatedItems);
    checks.push((list) =>
      unevaluatedIndexes(evaluator.context, evaluator.holds, node, list).every((index) => check(list[index])),
    );
  }
  if (checks.length === 0) return alwaysValid;
  return (value) => !Array.isArray(value) || checks.every((check) => check(value));
};

const prefixCheck =
  (checks: readonly CompiledCheck[]): ItemsCheck =>
  (list) => {
    const end = Math.min(checks.length, list.length);
    for (let index = 0; index < end; index++) if (!checks[index]!(list[index])) return false;
    return true;
  };

const restCheck =
  (check: CompiledCheck, start: number): ItemsCheck =>
  (list) => {
    if (check === alwaysValid) return true;
    for (let index = start; index < list.length; index++) if (!check(list[index])) return false;
    return true;
  };

const containsCheck = (check: CompiledCheck, { minContains = 1, maxContains }: PlainKeywords): ItemsCheck => {
  const most = maxContains ?? Number.POSITIVE_INFINITY;
  return (list) => {
    let count = 0;
    for (const item of list) if (check(item) && ++count > most) return false;
    return count >= minContains;
  };
};

const typeChecks: Record<JsonType, CompiledCheck> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  string: (value) => typeof value === "string",
};

const compileType = ({ type }: PlainKeywords): CompiledCheck => {
  if (type === undefined) return alwaysValid;
  const checks = type.map((each) => typeChecks[each]);
  const [first] = checks;
  return checks.length === 1 && first !== undefined ? first : (value) => checks.some((check) => check(value));
};

const compileChoice = (
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

const compileNumber = (node: PlainKeywords): CompiledCheck => {
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

const compileString = (context: EvaluationContext, node: PlainKeywords): CompiledCheck => {
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

const compileInPlace = (
  node: PlainKeywords,
  compile: NodeCompiler,
  refer: (reference: string) => CompiledCheck,
): CompiledCheck[] => {
  const checks: CompiledCheck[] = [];
  const { $ref, allOf, anyOf, oneOf, not } = node;
  if ($ref !== undefined) checks.push(refer($ref));
  if (allOf !== undefined) checks.push(everyCheck(allOf.map(compile)));
  if (anyOf !== undefined) checks.push(anyCheck(anyOf.map(compile)));
  if (oneOf !== undefined) checks.push(exactlyOneCheck(oneOf.map(compile)));
  if (not !== undefined) {
    const unwanted = compile(not);
    checks.push((value) => !unwanted(value));
  }
  if (node.if !== undefined) {
    const condition = compile(node.if);
    const then = compile(node.then ?? true);
    const otherwise = compile(node.else ?? true);
    checks.push((value) => (condition(value) ? then(value) : otherwise(value)));
  }
  return checks;
};

const anyCheck =
  (checks: readonly CompiledCheck[]): CompiledCheck =>
  (value) => {
    for (let index = 0; index < checks.length; index++) if (checks[index]!(value)) return true;
    return false;
  };

const exactlyOneCheck =
  (checks: readonly CompiledCheck[]): CompiledCheck =>
  (value) => {
    let count = 0;
    for (let index = 0; index < checks.length; index++)
      if (checks[index]!(value) && ++count > 1) return false;
    return count === 1;
  };
