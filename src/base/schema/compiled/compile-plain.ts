import { spend } from "../judge/budget.ts";
import type { SchemaJudge } from "../judge/context.ts";
import { definitionOf, type PlainKeywords, type PlainNode } from "../plain/plain-schema.ts";
import { compileArray } from "./arrays.ts";
import { all, always, type CompiledCheck, never } from "./check.ts";
import { compileObject } from "./objects.ts";
import { compileChoice, compileNumber, compileString, compileType } from "./scalars.ts";

export type Compile = (node: PlainNode) => CompiledCheck;

/**
 * Turns a plain schema into closures that answer yes or no. Nothing is written as source text and evaluated, so
 * it works where that is forbidden, and a schema is ready in microseconds.
 */
export const compilePlain = (judge: SchemaJudge): CompiledCheck => {
  const { definitions, recursive } = judge.context.schema;
  const compiled: (CompiledCheck | undefined)[] = [];

  const compile: Compile = (node) => {
    if (typeof node === "boolean") return node ? always : never;
    return all([
      compileType(node),
      compileChoice(judge.context, node),
      compileNumber(node),
      compileString(judge.context, node),
      compileArray(judge, node, compile),
      compileObject(judge, node, compile),
      ...inPlace(node, compile, refer),
    ]);
  };

  /** Looked up when it is used: a definition may lead back to itself. */
  const refer = (reference: string): CompiledCheck => {
    const number = definitionOf(reference);
    const target = (value: unknown): boolean => {
      compiled[number] ??= compile(definitions[number]!);
      return compiled[number](value);
    };
    return recursive.has(number) ? (value) => spend() && target(value) : target;
  };

  return compile(definitions[0]!);
};

const inPlace = (
  node: PlainKeywords,
  compile: Compile,
  refer: (reference: string) => CompiledCheck,
): CompiledCheck[] => {
  const checks: CompiledCheck[] = [];
  const { $ref, allOf, anyOf, oneOf, not } = node;
  if ($ref !== undefined) checks.push(refer($ref));
  if (allOf !== undefined) checks.push(all(allOf.map(compile)));
  if (anyOf !== undefined) checks.push(any(anyOf.map(compile)));
  if (oneOf !== undefined) checks.push(exactlyOne(oneOf.map(compile)));
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

const any =
  (checks: readonly CompiledCheck[]): CompiledCheck =>
  (value) => {
    for (let index = 0; index < checks.length; index++) if (checks[index]!(value)) return true;
    return false;
  };

const exactlyOne =
  (checks: readonly CompiledCheck[]): CompiledCheck =>
  (value) => {
    let count = 0;
    for (let index = 0; index < checks.length; index++)
      if (checks[index]!(value) && ++count > 1) return false;
    return count === 1;
  };
