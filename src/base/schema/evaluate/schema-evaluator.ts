import type { Issue } from "../../../types/json.ts";
import { describeReceived, type SchemaFinding, toIssue } from "../issues.ts";
import { findDuplicate } from "../keywords.ts";
import { type PlainKeywords, type PlainNode, schemaLimits } from "../plain/plain-schema.ts";
import { type EvaluationContext, type SchemaEvaluator, startEvaluationBudget } from "./context.ts";
import { describeForms, describeNode } from "./describe-node.ts";
import { findInObject } from "./find-in-object.ts";
import {
  findEnumMismatch,
  findingAt,
  findNumberMismatches,
  findStringMismatches,
  findTypeMismatch,
} from "./find-scalar.ts";
import { unevaluatedIndexes } from "./unevaluated.ts";

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

function* findInArray(
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

const maxFindingsPerBranch = 20;

const isAtPointer = (finding: SchemaFinding, pointer: string): boolean => finding.pointer === pointer;

/** A constant member such as `kind: "circle"` distinguishes branches. */
const isTagMismatch = (finding: SchemaFinding, pointer: string): boolean =>
  finding.keyword === "enum" &&
  finding.pointer.startsWith(`${pointer}/`) &&
  !finding.pointer.slice(pointer.length + 1).includes("/");

const findEach = (
  evaluator: SchemaEvaluator,
  branch: PlainNode,
  value: unknown,
  pointer: string,
): SchemaFinding[] => {
  const found: SchemaFinding[] = [];
  for (const finding of evaluator.find(branch, value, pointer))
    if (found.push(finding) >= maxFindingsPerBranch) break;
  return found;
};

const merged = (findings: readonly SchemaFinding[], value: unknown): SchemaFinding => {
  const expected = [...new Set(findings.map((each) => each.expected?.replace(/^one of /, "")))].join(" or ");
  const got = findings[0]!.received ?? describeReceived(value);
  return findingAt(findings[0]!.pointer)("enum", `must be ${expected}, got ${got}`, {
    expected,
    received: got,
  });
};

/** Explains the branch that was probably meant, or summarizes all. */
function* explainNoMatch(
  evaluator: SchemaEvaluator,
  branches: readonly PlainNode[],
  value: unknown,
  pointer: string,
): Generator<SchemaFinding> {
  const all = branches.map((branch) => findEach(evaluator, branch, value, pointer));
  const ofKind = all.filter(([first]) => !(first!.keyword === "type" && isAtPointer(first!, pointer)));
  if (ofKind.length === 0)
    return yield merged(
      all.map(([first]) => first!),
      value,
    );
  const fits = ofKind.filter(
    (findings) => !findings.some((each) => isTagMismatch(each, pointer) || isChoice(each, pointer)),
  );
  if (fits.length === 1) return yield* fits[0]!;
  const tags = ofKind.map((findings) =>
    findings.find((each) => isTagMismatch(each, pointer) || isChoice(each, pointer)),
  );
  const [tag] = tags;
  if (fits.length === 0 && tags.every((each) => each?.pointer === tag?.pointer)) {
    return yield merged(tags as SchemaFinding[], value);
  }
  const [closest] = (fits.length > 0 ? fits : ofKind).toSorted((a, b) => a.length - b.length);
  const expected = describeForms(evaluator.context.schema, branches);
  const [hint] = closest!;
  const where = isAtPointer(hint!, pointer) ? "it" : hint!.pointer;
  yield findingAt(pointer)(
    "anyOf",
    `fits none of its ${branches.length} forms; the closest fails because ${where} ${hint!.what}`,
    { expected, received: describeReceived(value) },
  );
}

const isChoice = (finding: SchemaFinding, pointer: string): boolean =>
  finding.keyword === "enum" && isAtPointer(finding, pointer);

function* findInChoice(
  evaluator: SchemaEvaluator,
  keyword: "anyOf" | "oneOf",
  branches: readonly PlainNode[],
  value: unknown,
  pointer: string,
): Generator<SchemaFinding> {
  const holding = [...branches.keys()].filter((index) => evaluator.holds(branches[index]!, value));
  if (holding.length === 0) return yield* explainNoMatch(evaluator, branches, value, pointer);
  if (keyword === "anyOf" || holding.length === 1) return;
  yield findingAt(pointer)(
    "oneOf",
    `must fit exactly one of its ${branches.length} forms, but fits ${holding.length}`,
    {
      expected: "exactly one form",
      received: describeReceived(value),
    },
  );
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
