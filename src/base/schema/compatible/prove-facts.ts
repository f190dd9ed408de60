import { describeForms, describeNode } from "../evaluate/describe-node.ts";
import { joinValues } from "../issues.ts";
import { definitionIndexOf, type PlainKeywords, type PlainNode } from "../plain/plain-schema.ts";
import { proveArray } from "./arrays.ts";
import {
  type Claim,
  distinctReasons,
  type Fact,
  type IncompatibilityReason,
  type ProofPosition,
  type Prover,
  reasonAt,
  toClaim,
  withoutExplanation,
} from "./claim.ts";
import { alternatives, alternativesByMember } from "./members.ts";
import { proveNumber } from "./numbers.ts";
import { proveObject } from "./objects.ts";
import { isEmptyKind } from "./prove-empty.ts";
import { negated, onlyKind } from "./synthetic-nodes.ts";
import {
  finiteValues,
  hasKind,
  kindSetOf,
  kindSetOfTypes,
  kindsOfAll,
  listKinds,
  nameKinds,
  proveText,
  type ValueKind,
} from "./value-kind.ts";

export const proveFacts = (
  prover: Prover,
  facts: readonly Fact[],
  goal: Claim,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const shape = prover.shapeOf(goal);
  if (facts.some((fact) => prover.shapeOf(fact) === shape)) return [];
  const reasons: IncompatibilityReason[] = [];
  let strange = 0;
  for (const kind of listKinds(kindsOfAll(facts))) {
    if (reasons.length + strange >= at.most) break;
    if (allows(goal, kind)) reasons.push(...proveKind(prover, facts, kind, goal, at));
    else if (!isEmptyKind(prover, facts, kind, at)) strange |= kindSetOf(kind);
  }
  if (strange === 0) return distinctReasons(reasons, at.most);
  return distinctReasons([unexpectedKinds(goal, strange, at), ...reasons], at.most);
};

const allows = ({ node }: Claim, kind: ValueKind): boolean => {
  if (typeof node === "boolean") return node;
  return node.type === undefined || hasKind(kindSetOfTypes(node.type), kind);
};

const unexpectedKinds = ({ node }: Claim, strange: number, at: ProofPosition): IncompatibilityReason => {
  if (typeof node === "boolean") return reasonAt(at, "false", "there", "left out");
  return reasonAt(at, "type", nameKinds(strange), nameKinds(kindSetOfTypes(node.type ?? [])));
};

const proveKind = (
  prover: Prover,
  facts: readonly Fact[],
  kind: ValueKind,
  goal: Claim,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { side, node } = goal;
  if (typeof node === "boolean") return [];
  const values = finiteValues(prover, facts, kind);
  if (values !== undefined) return proveListed(prover, values, goal, at);
  const typed = toClaim(side, onlyKind(kind));
  const inEach = (cases: readonly (readonly Claim[])[]): readonly IncompatibilityReason[] => {
    const reasons: IncompatibilityReason[] = [];
    for (const each of cases) {
      if (reasons.length >= at.most) break;
      reasons.push(...prover.prove([...each, typed], goal, at));
    }
    return reasons;
  };
  // If both sides have a choice, this side is split first.
  const cases = alternatives(facts);
  if (cases !== undefined && hasChoice(node)) return inEach(cases);
  const reasons = proveAll(prover, facts, kind, { side, node, filled: false }, at);
  if (reasons.length === 0 || isEmptyKind(prover, facts, kind, at)) return [];
  if (cases !== undefined) return inEach(cases);
  const members = kind === "object" && hasChoice(node) ? alternativesByMember(prover, facts) : undefined;
  return members === undefined ? reasons : inEach(members);
};

const hasChoice = (node: PlainKeywords): boolean =>
  node.anyOf !== undefined || node.oneOf !== undefined || node.not !== undefined || node.if !== undefined;

const proveInPlace = (
  prover: Prover,
  claims: readonly Claim[],
  { side, node }: Fact,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { $ref, allOf = [], anyOf, oneOf, not } = node;
  const reasons: IncompatibilityReason[] = [];
  if ($ref !== undefined) {
    reasons.push(
      ...prover.prove(claims, toClaim(side, side.schema.definitions[definitionIndexOf($ref)]!), at),
    );
  }
  for (const each of allOf) reasons.push(...prover.prove(claims, toClaim(side, each), at));
  if (anyOf !== undefined) reasons.push(...proveAny(prover, claims, toClaim(side, node), anyOf, at));
  if (oneOf !== undefined) reasons.push(...proveOne(prover, claims, toClaim(side, node), oneOf, at));
  if (not !== undefined && !prover.isEmpty([...claims, toClaim(side, not)], at)) {
    const unwanted = describeForms(side.schema, [not]);
    reasons.push(reasonAt(at, "not", unwanted, "anything else"));
  }
  if (node.if === undefined) return reasons;
  const { then: yes = true, else: no = true } = node;
  return [
    ...reasons,
    ...prover.prove([...claims, toClaim(side, node.if)], toClaim(side, yes), at),
    ...prover.prove([...claims, toClaim(side, negated(node.if))], toClaim(side, no), at),
  ];
};

const proveAny = (
  prover: Prover,
  claims: readonly Claim[],
  { side }: Claim,
  branches: readonly PlainNode[],
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const fits = branches.some(
    (each) => prover.prove(claims, toClaim(side, each), withoutExplanation(at)).length === 0,
  );
  return fits ? [] : explainNone(prover, claims, side, branches, at, "anyOf");
};

const proveOne = (
  prover: Prover,
  claims: readonly Claim[],
  { side }: Claim,
  branches: readonly PlainNode[],
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const fitting = branches.filter(
    (each) => prover.prove(claims, toClaim(side, each), withoutExplanation(at)).length === 0,
  );
  const isAlone = (one: PlainNode): boolean =>
    branches.every((other) => other === one || prover.isEmpty([...claims, toClaim(side, other)], at));
  if (fitting.some(isAlone)) return [];
  if (fitting.length === 0) return explainNone(prover, claims, side, branches, at, "oneOf");
  return [reasonAt(at, "oneOf", "several of the forms at once", "exactly one of them", "fit")];
};

/** Explains the only branch whose type fits, or lists all branches. */
const explainNone = (
  prover: Prover,
  claims: readonly Claim[],
  side: Claim["side"],
  branches: readonly PlainNode[],
  at: ProofPosition,
  keyword: "anyOf" | "oneOf",
): readonly IncompatibilityReason[] => {
  const none = [reasonAt(at, keyword, "none of the forms", describeForms(side.schema, branches), "fit")];
  if (at.most === 1) return none;
  const few = { ...at, most: 5 };
  const meant = branches
    .map((each) => prover.prove(claims, toClaim(side, each), few))
    .filter((reasons) => !reasons.some((each) => each.keyword === "type" && each.pointer === at.pointer));
  return meant.length === 1 ? meant[0]! : none;
};

const proveAll = (
  prover: Prover,
  facts: readonly Fact[],
  kind: ValueKind,
  goal: Fact,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { side, node } = goal;
  const listed = node.enum ?? node.values;
  if (listed !== undefined) {
    return [reasonAt(at, "enum", "something else", describeNode(side.schema, node))];
  }
  const typed = [...facts, toClaim(side, onlyKind(kind))];
  return [...proveInside(prover, facts, kind, goal, at), ...proveInPlace(prover, typed, goal, at)];
};

const proveInside = (
  prover: Prover,
  facts: readonly Fact[],
  kind: ValueKind,
  goal: Fact,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  if (kind === "integer" || kind === "fraction") return proveNumber(facts, kind, goal.node, at);
  if (kind === "string") return proveText(facts, goal.node, at);
  if (kind === "array") return proveArray(prover, facts, goal, at);
  return kind === "object" ? proveObject(prover, facts, goal, at) : [];
};

const choiceKeywords = ["enum", "values", "anyOf", "oneOf"] as const;

const proveListed = (
  prover: Prover,
  values: readonly unknown[],
  goal: Claim,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const strange = values.filter((value) => !prover.holds(goal, value));
  if (strange.length === 0) return [];
  const { side, node } = goal;
  const [finding] = side.judge.find(node, strange[0], "");
  const choice =
    typeof node === "boolean" ? undefined : choiceKeywords.find((keyword) => node[keyword] !== undefined);
  const keyword = finding === undefined || finding.keyword === "enum" ? (choice ?? "enum") : finding.keyword;
  const must =
    finding?.pointer === "" && finding.expected ? finding.expected : describeNode(side.schema, node);
  return [reasonAt(at, keyword === "values" ? "enum" : keyword, joinValues(strange, 5), must)];
};
