import { isEmptyArray } from "./arrays.ts";
import { type Fact, type ProofPosition, type Prover, toClaim, withoutExplanation } from "./claim.ts";
import { alternatives } from "./members.ts";
import { isEmptyRange } from "./numbers.ts";
import { isEmptyObject } from "./objects.ts";
import { onlyKind, withoutChoiceKeyword } from "./synthetic-nodes.ts";
import { finiteValues, isEmptyText, kindsOfAll, listKinds, type ValueKind } from "./value-kind.ts";

export const isEmptyFacts = (prover: Prover, facts: readonly Fact[], at: ProofPosition): boolean =>
  listKinds(kindsOfAll(facts)).every((kind) => isEmptyKind(prover, facts, kind, at));

export const isEmptyKind = (
  prover: Prover,
  facts: readonly Fact[],
  kind: ValueKind,
  at: ProofPosition,
): boolean => {
  const values = finiteValues(prover, facts, kind);
  if (values !== undefined) return values.length === 0;
  if (isEmptyInside(prover, facts, kind, at) || isForbidden(prover, facts, kind, at)) return true;
  const cases = alternatives(facts);
  if (cases === undefined) return false;
  const typed = toClaim(facts[0]!.side, onlyKind(kind));
  return cases.every((each) => prover.isEmpty([...each, typed], at));
};

const isEmptyInside = (
  prover: Prover,
  facts: readonly Fact[],
  kind: ValueKind,
  at: ProofPosition,
): boolean => {
  if (kind === "integer" || kind === "fraction") return isEmptyRange(facts, kind);
  if (kind === "string") return isEmptyText(facts);
  if (kind === "array") return isEmptyArray(prover, facts, at);
  return kind === "object" && isEmptyObject(prover, facts, at);
};

const isForbidden = (prover: Prover, facts: readonly Fact[], kind: ValueKind, at: ProofPosition): boolean =>
  facts.some((fact) => {
    const { side, node } = fact;
    if (node.not === undefined) return false;
    const others = facts.map((each) =>
      each === fact ? { ...fact, node: withoutChoiceKeyword(node, "not") } : each,
    );
    const typed = toClaim(side, onlyKind(kind));
    return prover.prove([...others, typed], toClaim(side, node.not), withoutExplanation(at)).length === 0;
  });
