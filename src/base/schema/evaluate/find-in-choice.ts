import { type Finding, received } from "../issues.ts";
import type { PlainNode } from "../plain/plain-schema.ts";
import type { SchemaJudge } from "./context.ts";
import { describeForms } from "./describe.ts";
import { findingAt } from "./find-scalar.ts";

const most = 20;

const isOwn = (finding: Finding, pointer: string): boolean => finding.pointer === pointer;

/** A constant one level down, such as `kind: "circle"`, tells the branches apart. */
const isTag = (finding: Finding, pointer: string): boolean =>
  finding.keyword === "enum" &&
  finding.pointer.startsWith(`${pointer}/`) &&
  !finding.pointer.slice(pointer.length + 1).includes("/");

const findEach = (judge: SchemaJudge, branch: PlainNode, value: unknown, pointer: string): Finding[] => {
  const found: Finding[] = [];
  for (const finding of judge.find(branch, value, pointer)) if (found.push(finding) >= most) break;
  return found;
};

/** One finding of several that say the same about the same place, with all they expect. */
const merged = (findings: readonly Finding[], value: unknown): Finding => {
  const expected = [...new Set(findings.map((each) => each.expected?.replace(/^one of /, "")))].join(" or ");
  const got = findings[0]!.received ?? received(value);
  return findingAt(findings[0]!.pointer)("enum", `must be ${expected}, got ${got}`, {
    expected,
    received: got,
  });
};

/** Says what is wrong with the branch that was probably meant; with several, what all of them want. */
function* findNone(
  judge: SchemaJudge,
  branches: readonly PlainNode[],
  value: unknown,
  pointer: string,
): Generator<Finding> {
  const all = branches.map((branch) => findEach(judge, branch, value, pointer));
  const ofKind = all.filter(([first]) => !(first!.keyword === "type" && isOwn(first!, pointer)));
  if (ofKind.length === 0)
    return yield merged(
      all.map(([first]) => first!),
      value,
    );
  const fits = ofKind.filter(
    (findings) => !findings.some((each) => isTag(each, pointer) || isChoice(each, pointer)),
  );
  if (fits.length === 1) return yield* fits[0]!;
  const tags = ofKind.map((findings) =>
    findings.find((each) => isTag(each, pointer) || isChoice(each, pointer)),
  );
  const [tag] = tags;
  if (fits.length === 0 && tags.every((each) => each?.pointer === tag?.pointer)) {
    return yield merged(tags as Finding[], value);
  }
  const [closest] = (fits.length > 0 ? fits : ofKind).toSorted((a, b) => a.length - b.length);
  const expected = describeForms(judge.context.schema, branches);
  const [hint] = closest!;
  const where = isOwn(hint!, pointer) ? "it" : hint!.pointer;
  yield findingAt(pointer)(
    "anyOf",
    `fits none of its ${branches.length} forms; the closest fails because ${where} ${hint!.what}`,
    { expected, received: received(value) },
  );
}

const isChoice = (finding: Finding, pointer: string): boolean =>
  finding.keyword === "enum" && isOwn(finding, pointer);

export function* findInChoice(
  judge: SchemaJudge,
  keyword: "anyOf" | "oneOf",
  branches: readonly PlainNode[],
  value: unknown,
  pointer: string,
): Generator<Finding> {
  const holding = [...branches.keys()].filter((index) => judge.holds(branches[index]!, value));
  if (holding.length === 0) return yield* findNone(judge, branches, value, pointer);
  if (keyword === "anyOf" || holding.length === 1) return;
  yield findingAt(pointer)(
    "oneOf",
    `must fit exactly one of its ${branches.length} forms, but fits ${holding.length}`,
    {
      expected: "exactly one form",
      received: received(value),
    },
  );
}
