import { type Claim, claim, expand, type Fact } from "./claim.ts";
import { finiteValues } from "./finite.ts";
import { kindsOfAll, listKinds } from "./kind.ts";
import { negated, without } from "./made-node.ts";
import { memberClaims, requiredMembers } from "./members.ts";
import type { Prover } from "./prover.ts";

/**
 * The facts as cases of which each value is one: what holds in every case holds. Cases say no less than the facts
 * did, so nothing that could be proven is lost by taking them one by one.
 */
export const alternatives = (facts: readonly Fact[]): readonly (readonly Claim[])[] | undefined => {
  for (const fact of facts) {
    const { side, node } = fact;
    const { anyOf, oneOf } = node;
    const beside = (choice: "anyOf" | "oneOf" | "if"): readonly Claim[] =>
      facts.map((each) => (each === fact ? { ...fact, node: without(node, choice) } : each));
    if (anyOf !== undefined) return anyOf.map((each) => [...beside("anyOf"), claim(side, each)]);
    if (oneOf !== undefined) {
      return oneOf.map((each, index) => [
        ...beside("oneOf"),
        claim(side, each),
        ...oneOf.filter((_, other) => other !== index).map((other) => claim(side, negated(other))),
      ]);
    }
    if (node.if !== undefined) {
      const { then: yes = true, else: no = true } = node;
      return [
        [...beside("if"), claim(side, node.if), claim(side, yes)],
        [...beside("if"), claim(side, negated(node.if)), claim(side, no)],
      ];
    }
  }
  return undefined;
};

const fewest = 2;
const most = 8;

/** The same for a member that is one of a few values, such as `kind: "circle"`. */
export const byMember = (
  prover: Prover,
  facts: readonly Fact[],
): readonly (readonly Claim[])[] | undefined => {
  for (const key of requiredMembers(facts)) {
    const values = fewValues(prover, memberClaims(prover, facts, key));
    if (values === undefined) continue;
    const { side } = facts[0]!;
    return values.map((value) => [...facts, claim(side, prover.made.member(key, value))]);
  }
  return undefined;
};

const fewValues = (prover: Prover, claims: readonly Claim[]): readonly unknown[] | undefined => {
  const facts = expand(claims);
  if (facts === false) return undefined;
  const found: unknown[] = [];
  for (const kind of listKinds(kindsOfAll(facts))) {
    const values = finiteValues(prover, facts, kind);
    if (values === undefined || found.length + values.length > most) return undefined;
    found.push(...values);
  }
  return found.length < fewest ? undefined : found;
};
