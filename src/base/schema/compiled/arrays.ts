import type { SchemaEvaluator } from "../evaluate/context.ts";
import { unevaluatedIndexes } from "../evaluate/unevaluated.ts";
import { findDuplicate } from "../keywords.ts";
import type { PlainKeywords } from "../plain/plain-schema.ts";
import type { NodeCompiler } from "./compile-plain.ts";
import { alwaysValid, type CompiledCheck } from "./compiled-check.ts";

type ItemsCheck = (items: readonly unknown[]) => boolean;

export const compileArray = (
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
