import { spendEvaluationStep } from "../evaluate/budget.ts";
import type { SchemaEvaluator } from "../evaluate/context.ts";
import { definitionIndexOf, type PlainKeywords, type PlainNode } from "../plain/plain-schema.ts";
import { compileArray } from "./arrays.ts";
import { alwaysValid, type CompiledCheck, everyCheck, neverValid } from "./compiled-check.ts";
import { compileObject } from "./objects.ts";
import { compileChoice, compileNumber, compileString, compileType } from "./scalars.ts";

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
