import type { Issue } from "../../words/json.ts";
import { type Finding, received, toIssue } from "../issues.ts";
import { limits } from "../limits.ts";
import type { PlainKeywords, PlainNode } from "../plain/plain-schema.ts";
import { startBudget } from "./budget.ts";
import type { JudgeContext, SchemaJudge } from "./context.ts";
import { describe } from "./describe.ts";
import { findInArray } from "./find-in-array.ts";
import { findInChoice } from "./find-in-choice.ts";
import { findInObject } from "./find-in-object.ts";
import { findChoice, findingAt, findNumber, findString, findType } from "./find-scalar.ts";

export const judgeOf = (context: JudgeContext): SchemaJudge => {
  const judge: SchemaJudge = {
    context,
    find: (node, value, pointer) => find(judge, node, value, pointer),
    holds: (node, value) => find(judge, node, value, "").next().done === true,
  };
  return judge;
};

function* find(judge: SchemaJudge, node: PlainNode, value: unknown, pointer: string): Generator<Finding> {
  if (node === true) return;
  if (node === false) {
    yield findingAt(pointer)("false", "must not be there", {
      expected: "nothing",
      received: received(value),
    });
    return;
  }
  const wrongKind = findType(node, value, pointer) ?? findChoice(judge.context, node, value, pointer);
  if (wrongKind !== undefined) return yield wrongKind;
  yield* findInside(judge, node, value, pointer);
  yield* findInPlace(judge, node, value, pointer);
}

function* findInside(
  judge: SchemaJudge,
  node: PlainKeywords,
  value: unknown,
  pointer: string,
): Generator<Finding> {
  if (typeof value === "number") yield* findNumber(node, value, pointer);
  else if (typeof value === "string") yield* findString(judge.context, node, value, pointer);
  else if (Array.isArray(value)) yield* findInArray(judge, node, value, pointer);
  else if (typeof value === "object" && value !== null) {
    yield* findInObject(judge, node, value as Readonly<Record<string, unknown>>, pointer);
  }
  if (node.format !== undefined && !judge.context.isFormat(node.format, value)) {
    const got = received(value, node.secret);
    yield findingAt(pointer)("format", `must be a valid ${node.format}, got ${got}`, {
      expected: node.format,
      received: got,
    });
  }
}

function* findInPlace(
  judge: SchemaJudge,
  node: PlainKeywords,
  value: unknown,
  pointer: string,
): Generator<Finding> {
  if (node.$ref !== undefined) yield* judge.find(judge.context.follow(node.$ref), value, pointer);
  for (const each of node.allOf ?? []) yield* judge.find(each, value, pointer);
  if (node.anyOf !== undefined) yield* findInChoice(judge, "anyOf", node.anyOf, value, pointer);
  if (node.oneOf !== undefined) yield* findInChoice(judge, "oneOf", node.oneOf, value, pointer);
  if (node.not !== undefined && judge.holds(node.not, value)) {
    const unwanted = describe(judge.context.schema, node.not);
    const got = received(value, node.secret);
    yield findingAt(pointer)("not", `must not be ${unwanted}, got ${got}`, {
      expected: `not ${unwanted}`,
      received: got,
    });
  }
  if (node.if !== undefined) {
    const next = judge.holds(node.if, value) ? node.then : node.else;
    yield* judge.find(next ?? true, value, pointer);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [name, schema] of Object.entries(node.dependentSchemas ?? {})) {
    if (Object.hasOwn(value, name)) yield* judge.find(schema, value, pointer);
  }
}

/** Why a value that the compiled code turned down does not hold: a few reasons, never none. */
export const explain = (judge: SchemaJudge, value: unknown): readonly Issue[] => {
  startBudget(limits.explanations);
  const found = new Map<string, Issue>();
  let seen = 0;
  try {
    for (const finding of judge.find(judge.context.schema.definitions[0]!, value, "")) {
      const issue = toIssue(finding);
      found.set(`${issue.pointer} ${issue.message}`, issue);
      if (found.size >= limits.issues || ++seen >= limits.findings) break;
    }
  } catch {
    // Whatever was found before the work became too much is worth saying.
  }
  if (found.size > 0) return [...found.values()];
  return [toIssue({ keyword: "schema", pointer: "", what: "does not fit the schema" })];
};
