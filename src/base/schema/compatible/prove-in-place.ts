import { describeForms } from "../judge/describe.ts";
import { definitionOf, type PlainKeywords, type PlainNode } from "../plain/plain-schema.ts";
import { type Claim, claim, type Fact } from "./claim.ts";
import { negated } from "./made-node.ts";
import type { Prover } from "./prover.ts";
import { type ProofPosition, probe, type Reason, reasonAt } from "./reason.ts";

export const hasChoice = (node: PlainKeywords): boolean =>
  node.anyOf !== undefined || node.oneOf !== undefined || node.not !== undefined || node.if !== undefined;

/** The goals that speak about the same value: references, `allOf`, choices, `not` and `if`. */
export const proveInPlace = (
  prover: Prover,
  claims: readonly Claim[],
  { side, node }: Fact,
  at: ProofPosition,
): readonly Reason[] => {
  const { $ref, allOf = [], anyOf, oneOf, not } = node;
  const reasons: Reason[] = [];
  if ($ref !== undefined) {
    reasons.push(...prover.prove(claims, claim(side, side.schema.definitions[definitionOf($ref)]!), at));
  }
  for (const each of allOf) reasons.push(...prover.prove(claims, claim(side, each), at));
  if (anyOf !== undefined) reasons.push(...proveAny(prover, claims, claim(side, node), anyOf, at));
  if (oneOf !== undefined) reasons.push(...proveOne(prover, claims, claim(side, node), oneOf, at));
  if (not !== undefined && !prover.isEmpty([...claims, claim(side, not)], at)) {
    const unwanted = describeForms(side.schema, [not]);
    reasons.push(reasonAt(at, "not", unwanted, "anything else"));
  }
  if (node.if === undefined) return reasons;
  const { then: yes = true, else: no = true } = node;
  return [
    ...reasons,
    ...prover.prove([...claims, claim(side, node.if)], claim(side, yes), at),
    ...prover.prove([...claims, claim(side, negated(node.if))], claim(side, no), at),
  ];
};

const proveAny = (
  prover: Prover,
  claims: readonly Claim[],
  { side }: Claim,
  branches: readonly PlainNode[],
  at: ProofPosition,
): readonly Reason[] => {
  const fits = branches.some((each) => prover.prove(claims, claim(side, each), probe(at)).length === 0);
  return fits ? [] : explainNone(prover, claims, side, branches, at, "anyOf");
};

const proveOne = (
  prover: Prover,
  claims: readonly Claim[],
  { side }: Claim,
  branches: readonly PlainNode[],
  at: ProofPosition,
): readonly Reason[] => {
  const fitting = branches.filter((each) => prover.prove(claims, claim(side, each), probe(at)).length === 0);
  const isAlone = (one: PlainNode): boolean =>
    branches.every((other) => other === one || prover.isEmpty([...claims, claim(side, other)], at));
  if (fitting.some(isAlone)) return [];
  if (fitting.length === 0) return explainNone(prover, claims, side, branches, at, "oneOf");
  return [reasonAt(at, "oneOf", "several of the forms at once", "exactly one of them", "fit")];
};

/** Says what is wrong with the form that was probably meant; with several, what all of them want. */
const explainNone = (
  prover: Prover,
  claims: readonly Claim[],
  side: Claim["side"],
  branches: readonly PlainNode[],
  at: ProofPosition,
  keyword: "anyOf" | "oneOf",
): readonly Reason[] => {
  const none = [reasonAt(at, keyword, "none of the forms", describeForms(side.schema, branches), "fit")];
  if (at.most === 1) return none;
  const few = { ...at, most: 5 };
  const meant = branches
    .map((each) => prover.prove(claims, claim(side, each), few))
    .filter((reasons) => !reasons.some((each) => each.keyword === "type" && each.pointer === at.pointer));
  return meant.length === 1 ? meant[0]! : none;
};
