import { describeReceived, type SchemaFinding } from "../issues.ts";
import type { PlainNode } from "../plain/plain-schema.ts";
import type { SchemaEvaluator } from "./context.ts";
import { describeForms } from "./describe-node.ts";
import { findingAt } from "./find-scalar.ts";

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

export function* findInChoice(
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
