import { describeNode } from "../evaluate/describe-node.ts";
import { joinValues } from "../issues.ts";
import { alternatives, alternativesByMember } from "./alternatives.ts";
import { proveArray } from "./arrays.ts";
import { type Claim, type Fact, toClaim } from "./claim.ts";
import { finiteValues } from "./finite-values.ts";
import { proveNumber } from "./numbers.ts";
import { proveObject } from "./objects.ts";
import { isEmptyKind } from "./prove-empty.ts";
import { hasChoice, proveInPlace } from "./prove-in-place.ts";
import type { Prover } from "./prover.ts";
import { distinctReasons, type IncompatibilityReason, type ProofPosition, reasonAt } from "./reason.ts";
import { proveText } from "./strings.ts";
import { onlyKind } from "./synthetic-nodes.ts";
import {
  hasKind,
  kindSetOf,
  kindSetOfTypes,
  kindsOfAll,
  listKinds,
  nameKinds,
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
