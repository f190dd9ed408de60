import { describeReceived, type SchemaFinding } from "../issues.ts";
import { findDuplicate } from "../keywords.ts";
import type { PlainKeywords } from "../plain/plain-schema.ts";
import type { SchemaEvaluator } from "./context.ts";
import { describeNode } from "./describe-node.ts";
import { findingAt } from "./find-scalar.ts";
import { unevaluatedIndexes } from "./unevaluated.ts";

const itemCountText = (count: number): string => `${count} item${count === 1 ? "" : "s"}`;

function* findCounts(
  node: PlainKeywords,
  value: readonly unknown[],
  pointer: string,
): Generator<SchemaFinding> {
  const finding = findingAt(pointer);
  const { length } = value;
  const details = (expected: string) => ({ expected, received: itemCountText(length) });
  if (node.minItems !== undefined && length < node.minItems) {
    const expected = `at least ${itemCountText(node.minItems)}`;
    yield finding("minItems", `must have ${expected}, got ${length}`, details(expected));
  }
  if (node.maxItems !== undefined && length > node.maxItems) {
    const expected = `at most ${itemCountText(node.maxItems)}`;
    yield finding("maxItems", `must have ${expected}, got ${length}`, details(expected));
  }
  const twice = node.uniqueItems ? findDuplicate(value) : undefined;
  if (twice !== undefined) {
    const what = `must not contain duplicates, but items ${twice[0]} and ${twice[1]} are equal`;
    yield finding("uniqueItems", what, {
      expected: "no item twice",
      received: describeReceived(value[twice[0]], node.secret),
    });
  }
}

function* findContains(
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  value: readonly unknown[],
  pointer: string,
): Generator<SchemaFinding> {
  const { contains, minContains = 1, maxContains } = node;
  if (contains === undefined) return;
  let count = 0;
  for (const item of value) if (evaluator.holds(contains, item)) count++;
  if (count >= minContains && count <= (maxContains ?? count)) return;
  const amount =
    count < minContains ? `at least ${itemCountText(minContains)}` : `at most ${itemCountText(maxContains!)}`;
  const expected = `${amount} that fit ${describeNode(evaluator.context.schema, contains)}`;
  yield findingAt(pointer)("contains", `must contain ${expected}, got ${count}`, {
    expected,
    received: itemCountText(count),
  });
}

export function* findInArray(
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  value: readonly unknown[],
  pointer: string,
): Generator<SchemaFinding> {
  yield* findCounts(node, value, pointer);
  const prefix = node.prefixItems ?? [];
  for (const [index, item] of value.entries()) {
    const schema = index < prefix.length ? prefix[index] : node.items;
    if (schema === undefined || schema === true) {
      if (index >= prefix.length) break;
    } else if (schema === false) {
      const what = `must not be present: the list has at most ${itemCountText(index)}`;
      yield findingAt(`${pointer}/${index}`)("items", what, {
        expected: "nothing",
        received: describeReceived(item),
      });
      break;
    } else yield* evaluator.find(schema, item, `${pointer}/${index}`);
  }
  yield* findContains(evaluator, node, value, pointer);
  if (node.unevaluatedItems === undefined) return;
  for (const index of unevaluatedIndexes(evaluator.context, evaluator.holds, node, value)) {
    yield* evaluator.find(node.unevaluatedItems, value[index], `${pointer}/${index}`);
  }
}
