import type { PlainKeywords, PlainNode } from "../plain/plain-schema.ts";
import type { EvaluationContext, NodePredicate } from "./context.ts";

type NodeVisitor = (node: PlainKeywords) => boolean;

/** Visits the schemas that evaluated a value, without `not`. Stops when `see` returns true. */
const visitMatching = (
  context: EvaluationContext,
  holds: NodePredicate,
  node: PlainNode,
  value: unknown,
  see: NodeVisitor,
): boolean => {
  if (typeof node === "boolean") return false;
  const visit = (next: PlainNode): boolean => visitMatching(context, holds, next, value, see);
  const visitIf = (next: PlainNode): boolean => holds(next, value) && visit(next);
  if (see(node)) return true;
  if (node.$ref !== undefined && visit(context.follow(node.$ref))) return true;
  if (node.allOf?.some(visit) || node.anyOf?.some(visitIf) || node.oneOf?.some(visitIf)) return true;
  if (node.if !== undefined) {
    const condition = holds(node.if, value);
    if (condition ? visit(node.if) || visit(node.then ?? true) : visit(node.else ?? true)) return true;
  }
  const names = Object.keys(node.dependentSchemas ?? {});
  return names.some((name) => Object.hasOwn(value as object, name) && visit(node.dependentSchemas![name]!));
};

const withoutKeyword = (
  node: PlainKeywords,
  keyword: "unevaluatedItems" | "unevaluatedProperties",
): PlainKeywords => {
  const { [keyword]: _, ...rest } = node;
  return rest;
};

export const unevaluatedKeys = (
  context: EvaluationContext,
  holds: NodePredicate,
  node: PlainKeywords,
  value: object,
): readonly string[] => {
  let left = Object.keys(value);
  const see = (each: PlainKeywords): boolean => {
    if (each.additionalProperties !== undefined || each.unevaluatedProperties !== undefined) left = [];
    const { properties, patternProperties } = each;
    const patterns = Object.keys(patternProperties ?? {}).map(context.matcher);
    left = left.filter(
      (key) =>
        !(properties !== undefined && Object.hasOwn(properties, key)) &&
        !patterns.some((pattern) => pattern.test(key)),
    );
    return left.length === 0;
  };
  visitMatching(context, holds, withoutKeyword(node, "unevaluatedProperties"), value, see);
  return left;
};

export const unevaluatedIndexes = (
  context: EvaluationContext,
  holds: NodePredicate,
  node: PlainKeywords,
  value: readonly unknown[],
): readonly number[] => {
  let left = [...value.keys()];
  const see = (each: PlainKeywords): boolean => {
    if (each.items !== undefined || each.unevaluatedItems !== undefined) left = [];
    const prefix = each.prefixItems?.length ?? 0;
    const { contains } = each;
    left = left.filter(
      (index) => index >= prefix && !(contains !== undefined && holds(contains, value[index])),
    );
    return left.length === 0;
  };
  visitMatching(context, holds, withoutKeyword(node, "unevaluatedItems"), value, see);
  return left;
};
