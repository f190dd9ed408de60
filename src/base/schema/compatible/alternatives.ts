import { type Claim, expand, type Fact, toClaim } from "./claim.ts";
import { finiteValues } from "./finite-values.ts";
import { memberClaims, requiredMembers } from "./members.ts";
import type { Prover } from "./prover.ts";
import { negated, withoutChoiceKeyword } from "./synthetic-nodes.ts";
import { kindsOfAll, listKinds } from "./value-kind.ts";

/** Splits the facts into cases that cover every value. What holds in every case holds for the facts. */
export const alternatives = (facts: readonly Fact[]): readonly (readonly Claim[])[] | undefined => {
  for (const fact of facts) {
    const { side, node } = fact;
    const { anyOf, oneOf } = node;
    const claimsBeside = (choice: "anyOf" | "oneOf" | "if"): readonly Claim[] =>
      facts.map((each) => (each === fact ? { ...fact, node: withoutChoiceKeyword(node, choice) } : each));
    if (anyOf !== undefined) return anyOf.map((each) => [...claimsBeside("anyOf"), toClaim(side, each)]);
    if (oneOf !== undefined) {
      return oneOf.map((each, index) => [
        ...claimsBeside("oneOf"),
        toClaim(side, each),
        ...oneOf.filter((_, other) => other !== index).map((other) => toClaim(side, negated(other))),
      ]);
    }
    if (node.if !== undefined) {
      const { then: yes = true, else: no = true } = node;
      return [
        [...claimsBeside("if"), toClaim(side, node.if), toClaim(side, yes)],
        [...claimsBeside("if"), toClaim(side, negated(node.if)), toClaim(side, no)],
      ];
    }
  }
  return undefined;
};

const minCases = 2;
const maxCases = 8;

/** Splits by a required member such as `kind: "circle"`. */
export const alternativesByMember = (
  prover: Prover,
  facts: readonly Fact[],
): readonly (readonly Claim[])[] | undefined => {
  for (const key of requiredMembers(facts)) {
    const values = listFewValues(prover, memberClaims(prover, facts, key));
    if (values === undefined) continue;
    const { side } = facts[0]!;
    return values.map((value) => [...facts, toClaim(side, prover.made.member(key, value))]);
  }
  return undefined;
};

const listFewValues = (prover: Prover, claims: readonly Claim[]): readonly unknown[] | undefined => {
  const facts = expand(claims);
  if (facts === false) return undefined;
  const found: unknown[] = [];
  for (const kind of listKinds(kindsOfAll(facts))) {
    const values = finiteValues(prover, facts, kind);
    if (values === undefined || found.length + values.length > maxCases) return undefined;
    found.push(...values);
  }
  return found.length < minCases ? undefined : found;
};
