import { describeForms } from "../evaluate/describe-node.ts";
import { definitionIndexOf, type PlainKeywords, type PlainNode } from "../plain/plain-schema.ts";
import { type Claim, type Fact, toClaim } from "./claim.ts";
import type { Prover } from "./prover.ts";
import { type IncompatibilityReason, type ProofPosition, reasonAt, withoutExplanation } from "./reason.ts";
import { negated } from "./synthetic-nodes.ts";

export const hasChoice = (node: PlainKeywords): boolean =>
  node.anyOf !== undefined || node.oneOf !== undefined || node.not !== undefined || node.if !== undefined;

export const proveInPlace = (
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
