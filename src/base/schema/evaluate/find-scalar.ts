import { nearest } from "../../text/nearest.ts";
import { describeReceived, joinValues, type SchemaFinding, typeName } from "../issues.ts";
import { isMultipleOf } from "../keywords.ts";
import type { JsonType, PlainKeywords } from "../plain/plain-schema.ts";
import type { EvaluationContext } from "./context.ts";

export const findingAt =
  (pointer: string) =>
  (keyword: string, what: string, details: { expected?: string; received?: string } = {}): SchemaFinding => ({
    keyword,
    pointer,
    what,
    ...details,
  });

const isOfType = (value: unknown, type: JsonType): boolean => {
  if (type === "integer") return Number.isInteger(value);
  if (type === "number") return typeof value === "number" && Number.isFinite(value);
  return typeName(value) === type;
};

export const findTypeMismatch = (
  node: PlainKeywords,
  value: unknown,
  pointer: string,
): SchemaFinding | undefined => {
  if (node.type === undefined || node.type.some((type) => isOfType(value, type))) return undefined;
  const expected = node.type.join(" or ");
  const got = describeReceived(value, node.secret);
  return findingAt(pointer)("type", `must be ${expected}, got ${got}`, { expected, received: got });
};

export const findEnumMismatch = (
  context: EvaluationContext,
  node: PlainKeywords,
  value: unknown,
  pointer: string,
): SchemaFinding | undefined => {
  const values = node.enum ?? node.values;
  if (values === undefined || context.fits(values, value)) return undefined;
  const names = values.filter((each) => typeof each === "string");
  const near = typeof value === "string" && values.length > 1 ? nearest(value, names) : undefined;
  const expected = values.length === 1 ? joinValues(values) : `one of ${joinValues(values)}`;
  const got = describeReceived(value, node.secret);
  const hint = near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
  return findingAt(pointer)("enum", `must be ${expected}, got ${got}${hint}`, { expected, received: got });
};

export function* findNumberMismatches(
  node: PlainKeywords,
  value: number,
  pointer: string,
): Generator<SchemaFinding> {
  const finding = findingAt(pointer);
  const got = describeReceived(value, node.secret);
  const bounds: readonly (readonly [string, number | undefined, (limit: number) => boolean, string])[] = [
    ["minimum", node.minimum, (limit) => value >= limit, "at least"],
    ["exclusiveMinimum", node.exclusiveMinimum, (limit) => value > limit, "greater than"],
    ["maximum", node.maximum, (limit) => value <= limit, "at most"],
    ["exclusiveMaximum", node.exclusiveMaximum, (limit) => value < limit, "less than"],
    ["multipleOf", node.multipleOf, (limit) => isMultipleOf(value, limit), "a multiple of"],
  ];
  for (const [keyword, limit, holds, words] of bounds) {
    if (limit === undefined || holds(limit)) continue;
    const expected = `${words} ${limit}`;
    yield finding(keyword, `must be ${expected}, got ${got}`, { expected, received: got });
  }
}

const characterCountText = (count: number): string => `${count} character${count === 1 ? "" : "s"}`;

export function* findStringMismatches(
  context: EvaluationContext,
  node: PlainKeywords,
  value: string,
  pointer: string,
): Generator<SchemaFinding> {
  const finding = findingAt(pointer);
  if (node.minLength !== undefined || node.maxLength !== undefined) {
    let length = 0;
    for (const _ of value) length++;
    const bounds: readonly (readonly [string, string, number | undefined, boolean])[] = [
      ["minLength", "at least", node.minLength, length >= (node.minLength ?? 0)],
      ["maxLength", "at most", node.maxLength, length <= (node.maxLength ?? length)],
    ];
    for (const [keyword, words, limit, holds] of bounds) {
      if (limit === undefined || holds) continue;
      const expected = `${words} ${characterCountText(limit)}`;
      yield finding(keyword, `must have ${expected}, got ${length}`, {
        expected,
        received: characterCountText(length),
      });
    }
  }
  const got = describeReceived(value, node.secret);
  if (node.pattern !== undefined && !context.matcher(node.pattern).test(value)) {
    const expected = `a text that matches the pattern ${node.pattern}`;
    yield finding("pattern", `must match the pattern ${node.pattern}, got ${got}`, {
      expected,
      received: got,
    });
  }
}
