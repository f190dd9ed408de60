import type { SchemaJudge } from "../judge/context.ts";
import { unevaluatedIndexes } from "../judge/unevaluated.ts";
import { findDuplicate } from "../keywords.ts";
import type { PlainKeywords } from "../plain/plain-schema.ts";
import { always, type CompiledCheck } from "./check.ts";
import type { Compile } from "./compile-plain.ts";

type Items = (items: readonly unknown[]) => boolean;

export const compileArray = (judge: SchemaJudge, node: PlainKeywords, compile: Compile): CompiledCheck => {
  const checks: Items[] = [];
  const { minItems, maxItems, prefixItems, items, contains, unevaluatedItems } = node;
  if (minItems !== undefined) checks.push((list) => list.length >= minItems);
  if (maxItems !== undefined) checks.push((list) => list.length <= maxItems);
  if (prefixItems !== undefined) checks.push(ofPrefix(prefixItems.map(compile)));
  if (items !== undefined) checks.push(ofRest(compile(items), prefixItems?.length ?? 0));
  if (contains !== undefined) checks.push(ofContains(compile(contains), node));
  if (node.uniqueItems === true) checks.push((list) => findDuplicate(list) === undefined);
  if (unevaluatedItems !== undefined) {
    const check = compile(unevaluatedItems);
    checks.push((list) =>
      unevaluatedIndexes(judge.context, judge.holds, node, list).every((index) => check(list[index])),
    );
  }
  if (checks.length === 0) return always;
  return (value) => !Array.isArray(value) || checks.every((check) => check(value));
};

const ofPrefix =
  (checks: readonly CompiledCheck[]): Items =>
  (list) => {
    const end = Math.min(checks.length, list.length);
    for (let index = 0; index < end; index++) if (!checks[index]!(list[index])) return false;
    return true;
  };

const ofRest =
  (check: CompiledCheck, start: number): Items =>
  (list) => {
    if (check === always) return true;
    for (let index = start; index < list.length; index++) if (!check(list[index])) return false;
    return true;
  };

const ofContains = (check: CompiledCheck, { minContains = 1, maxContains }: PlainKeywords): Items => {
  const most = maxContains ?? Number.POSITIVE_INFINITY;
  return (list) => {
    let count = 0;
    for (const item of list) if (check(item) && ++count > most) return false;
    return count >= minContains;
  };
};
