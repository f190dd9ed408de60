import { type JsonObject, toPointer } from "../../json/json-value.ts";
import { nearest } from "../../text/nearest.ts";
import { describeReceived, joinValues, type SchemaFinding, typeName } from "../issues.ts";
import type { PlainKeywords, PlainNode } from "../plain/plain-schema.ts";
import type { SchemaEvaluator } from "./context.ts";
import { describeNode, describeWithAnnotation } from "./describe-node.ts";
import { findingAt } from "./find-scalar.ts";
import { unevaluatedKeys } from "./unevaluated.ts";

const ownMember = <T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

const knownKeys = (evaluator: SchemaEvaluator, node: PlainNode): string[] => {
  if (typeof node === "boolean") return [];
  const included = [
    ...(node.allOf ?? []),
    ...(node.$ref === undefined ? [] : [evaluator.context.follow(node.$ref)]),
  ];
  return [...Object.keys(node.properties ?? {}), ...included.flatMap((each) => knownKeys(evaluator, each))];
};

/** JSON has no `undefined`. */
const isMissing = (value: JsonObject, key: string): boolean => ownMember(value, key) === undefined;

function* findMissing(
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  value: JsonObject,
  pointer: string,
): Generator<SchemaFinding> {
  const { schema } = evaluator.context;
  const missing = (key: string, because: string): SchemaFinding => {
    const wanted = ownMember(node.properties, key);
    const words = wanted === undefined ? "" : ` (${describeWithAnnotation(schema, wanted)})`;
    return findingAt(pointer + toPointer([key]))("required", `is required${words}${because} but missing`, {
      expected: wanted === undefined ? "a value" : describeNode(schema, wanted),
      received: "nothing",
    });
  };
  for (const key of new Set(node.required)) if (isMissing(value, key)) yield missing(key, "");
  for (const [name, keys] of Object.entries(node.dependentRequired ?? {})) {
    if (isMissing(value, name)) continue;
    for (const key of keys) if (isMissing(value, key)) yield missing(key, ` with ${JSON.stringify(name)}`);
  }
}

function* findCounts(node: PlainKeywords, value: JsonObject, pointer: string): Generator<SchemaFinding> {
  const count = Object.keys(value).length;
  const bounds: readonly (readonly [string, string, number | undefined, boolean])[] = [
    ["minProperties", "at least", node.minProperties, count >= (node.minProperties ?? 0)],
    ["maxProperties", "at most", node.maxProperties, count <= (node.maxProperties ?? count)],
  ];
  for (const [keyword, words, limit, holds] of bounds) {
    if (limit === undefined || holds) continue;
    const expected = `${words} ${limit} ${limit === 1 ? "property" : "properties"}`;
    yield findingAt(pointer)(keyword, `must have ${expected}, got ${count}`, {
      expected,
      received: String(count),
    });
  }
}

function* findExtra(
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  rule: PlainNode,
  value: JsonObject,
  keys: Iterable<string>,
  pointer: string,
): Generator<SchemaFinding> {
  for (const key of keys) {
    const at = pointer + toPointer([key]);
    if (rule !== false) {
      yield* evaluator.find(rule, value[key], at);
      continue;
    }
    const known = [...new Set(knownKeys(evaluator, node))];
    const near = nearest(
      key,
      known.filter((each) => !Object.hasOwn(value, each)),
    );
    const which = known.length === 0 ? "there are none" : `known: ${joinValues(known, 30)}`;
    const hint = near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
    yield findingAt(at)("additionalProperties", `is not a known property; ${which}${hint}`, {
      expected: near === undefined ? "no such property" : JSON.stringify(near),
      received: typeName(value[key]),
    });
  }
}

export function* findInObject(
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  value: JsonObject,
  pointer: string,
): Generator<SchemaFinding> {
  yield* findMissing(evaluator, node, value, pointer);
  yield* findCounts(node, value, pointer);
  const patterns = Object.entries(node.patternProperties ?? {});
  const extra: string[] = [];
  for (const key of Object.keys(value)) {
    const schema = ownMember(node.properties, key);
    const fitting = patterns.filter(([pattern]) => evaluator.context.matcher(pattern).test(key));
    const at = pointer + toPointer([key]);
    if (schema !== undefined) yield* evaluator.find(schema, value[key], at);
    for (const [, each] of fitting) yield* evaluator.find(each, value[key], at);
    if (schema === undefined && fitting.length === 0) extra.push(key);
    for (const { what } of evaluator.find(node.propertyNames ?? true, key, at)) {
      yield findingAt(at)("propertyNames", `has a name that ${what}`, { received: describeReceived(key) });
    }
  }
  if (node.additionalProperties !== undefined) {
    yield* findExtra(evaluator, node, node.additionalProperties, value, extra, pointer);
  }
  if (node.unevaluatedProperties === undefined) return;
  const keys = unevaluatedKeys(evaluator.context, evaluator.holds, node, value);
  yield* findExtra(evaluator, node, node.unevaluatedProperties, value, keys, pointer);
}
