import { type Finding, received } from "../issues.ts";
import { findDuplicate } from "../keywords.ts";
import type { PlainKeywords } from "../plain/plain-schema.ts";
import type { SchemaJudge } from "./context.ts";
import { describe } from "./describe.ts";
import { findingAt } from "./find-scalar.ts";
import { unevaluatedIndexes } from "./unevaluated.ts";

const items = (count: number): string => `${count} item${count === 1 ? "" : "s"}`;

function* findCounts(node: PlainKeywords, value: readonly unknown[], pointer: string): Generator<Finding> {
  const finding = findingAt(pointer);
  const { length } = value;
  const details = (expected: string) => ({ expected, received: items(length) });
  if (node.minItems !== undefined && length < node.minItems) {
    const expected = `at least ${items(node.minItems)}`;
    yield finding("minItems", `must have ${expected}, got ${length}`, details(expected));
  }
  if (node.maxItems !== undefined && length > node.maxItems) {
    const expected = `at most ${items(node.maxItems)}`;
    yield finding("maxItems", `must have ${expected}, got ${length}`, details(expected));
  }
  const twice = node.uniqueItems ? findDuplicate(value) : undefined;
  if (twice !== undefined) {
    const what = `must not hold an item twice, but items ${twice[0]} and ${twice[1]} are equal`;
    yield finding("uniqueItems", what, {
      expected: "no item twice",
      received: received(value[twice[0]], node.secret),
    });
  }
}

function* findContains(
  judge: SchemaJudge,
  node: PlainKeywords,
  value: readonly unknown[],
  pointer: string,
): Generator<Finding> {
  const { contains, minContains = 1, maxContains } = node;
  if (contains === undefined) return;
  let count = 0;
  for (const item of value) if (judge.holds(contains, item)) count++;
  if (count >= minContains && count <= (maxContains ?? count)) return;
  const amount = count < minContains ? `at least ${items(minContains)}` : `at most ${items(maxContains!)}`;
  const expected = `${amount} that fit ${describe(judge.context.schema, contains)}`;
  yield findingAt(pointer)("contains", `must contain ${expected}, got ${count}`, {
    expected,
    received: items(count),
  });
}

export function* findInArray(
  judge: SchemaJudge,
  node: PlainKeywords,
  value: readonly unknown[],
  pointer: string,
): Generator<Finding> {
  yield* findCounts(node, value, pointer);
  const prefix = node.prefixItems ?? [];
  for (const [index, item] of value.entries()) {
    const schema = index < prefix.length ? prefix[index] : node.items;
    if (schema === undefined || schema === true) {
      if (index >= prefix.length) break;
    } else if (schema === false) {
      const what = `must not be there: the list has at most ${items(index)}`;
      yield findingAt(`${pointer}/${index}`)("items", what, {
        expected: "nothing",
        received: received(item),
      });
      break;
    } else yield* judge.find(schema, item, `${pointer}/${index}`);
  }
  yield* findContains(judge, node, value, pointer);
  if (node.unevaluatedItems === undefined) return;
  for (const index of unevaluatedIndexes(judge.context, judge.holds, node, value)) {
    yield* judge.find(node.unevaluatedItems, value[index], `${pointer}/${index}`);
  }
}
