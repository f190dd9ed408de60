import type { Issue } from "../../../types/json.ts";
import { describeReceived, type SchemaFinding, toIssue } from "../issues.ts";
import { schemaLimits } from "../limits.ts";
import type { PlainKeywords, PlainNode } from "../plain/plain-schema.ts";
import { startEvaluationBudget } from "./budget.ts";
import type { EvaluationContext, SchemaEvaluator } from "./context.ts";
import { describeNode } from "./describe-node.ts";
import { findInArray } from "./find-in-array.ts";
import { findInChoice } from "./find-in-choice.ts";
import { findInObject } from "./find-in-object.ts";
import {
  findEnumMismatch,
  findingAt,
  findNumberMismatches,
  findStringMismatches,
  findTypeMismatch,
} from "./find-scalar.ts";

export const schemaEvaluator = (context: EvaluationContext): SchemaEvaluator => {
  const judge: SchemaEvaluator = {
    context,
    find: (node, value, pointer) => findMismatches(judge, node, value, pointer),
    holds: (node, value) => findMismatches(judge, node, value, "").next().done === true,
  };
  return judge;
};

function* findMismatches(
  evaluator: SchemaEvaluator,
  node: PlainNode,
  value: unknown,
  pointer: string,
): Generator<SchemaFinding> {
  if (node === true) return;
  if (node === false) {
    yield findingAt(pointer)("false", "must not be present", {
      expected: "nothing",
      received: describeReceived(value),
    });
    return;
  }
  const wrongKind =
    findTypeMismatch(node, value, pointer) ?? findEnumMismatch(evaluator.context, node, value, pointer);
  if (wrongKind !== undefined) return yield wrongKind;
  yield* findInChildren(evaluator, node, value, pointer);
  yield* findInPlace(evaluator, node, value, pointer);
}

function* findInChildren(
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  value: unknown,
  pointer: string,
): Generator<SchemaFinding> {
  if (typeof value === "number") yield* findNumberMismatches(node, value, pointer);
  else if (typeof value === "string") yield* findStringMismatches(evaluator.context, node, value, pointer);
  else if (Array.isArray(value)) yield* findInArray(evaluator, node, value, pointer);
  else if (typeof value === "object" && value !== null) {
    yield* findInObject(evaluator, node, value as Readonly<Record<string, unknown>>, pointer);
  }
  if (node.format !== undefined && !evaluator.context.isFormat(node.format, value)) {
    const got = describeReceived(value, node.secret);
    yield findingAt(pointer)("format", `must be a valid ${node.format}, got ${got}`, {
      expected: node.format,
      received: got,
    });
  }
}

function* findInPlace(
  evaluator: SchemaEvaluator,
  node: PlainKeywords,
  value: unknown,
  pointer: string,
): Generator<SchemaFinding> {
  if (node.$ref !== undefined) yield* evaluator.find(evaluator.context.follow(node.$ref), value, pointer);
  for (const each of node.allOf ?? []) yield* evaluator.find(each, value, pointer);
  if (node.anyOf !== undefined) yield* findInChoice(evaluator, "anyOf", node.anyOf, value, pointer);
  if (node.oneOf !== undefined) yield* findInChoice(evaluator, "oneOf", node.oneOf, value, pointer);
  if (node.not !== undefined && evaluator.holds(node.not, value)) {
    const unwanted = describeNode(evaluator.context.schema, node.not);
    const got = describeReceived(value, node.secret);
    yield findingAt(pointer)("not", `must not be ${unwanted}, got ${got}`, {
      expected: `not ${unwanted}`,
      received: got,
    });
  }
  if (node.if !== undefined) {
    const next = evaluator.holds(node.if, value) ? node.then : node.else;
    yield* evaluator.find(next ?? true, value, pointer);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [name, schema] of Object.entries(node.dependentSchemas ?? {})) {
    if (Object.hasOwn(value, name)) yield* evaluator.find(schema, value, pointer);
  }
}

/** Returns at least one issue. */
export const explainMismatch = (evaluator: SchemaEvaluator, value: unknown): readonly Issue[] => {
  startEvaluationBudget(schemaLimits.explanations);
  const found = new Map<string, Issue>();
  let seen = 0;
  try {
    for (const finding of evaluator.find(evaluator.context.schema.definitions[0]!, value, "")) {
      const issue = toIssue(finding);
      found.set(`${issue.pointer} ${issue.message}`, issue);
      if (found.size >= schemaLimits.issues || ++seen >= schemaLimits.findings) break;
    }
  } catch {
    // Earlier findings are still useful.
  }
  if (found.size > 0) return [...found.values()];
  return [toIssue({ keyword: "schema", pointer: "", what: "does not fit the schema" })];
};
