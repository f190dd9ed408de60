import type { PlainKeywords } from "../plain/plain-schema.ts";
import {
  type Claim,
  childPosition,
  type Fact,
  type IncompatibilityReason,
  type ProofPosition,
  type Prover,
  reasonAt,
  toClaim,
  withoutExplanation,
} from "./claim.ts";
import { evaluatedLocations } from "./members.ts";

const itemClaims = (facts: readonly Fact[], index: number): readonly Claim[] =>
  facts.flatMap(({ side, node, filled }) => {
    const { prefixItems = [], items, unevaluatedItems } = node;
    const own = index < prefixItems.length ? prefixItems[index] : items;
    const claims = own === undefined ? [] : [toClaim(side, own, filled)];
    if (unevaluatedItems === undefined) return claims;
    const seen = evaluatedLocations(side, node, "perhaps");
    return seen.everyItem || index < seen.items ? claims : [...claims, toClaim(side, unevaluatedItems)];
  });

/** From this index on, all items have the same claims. */
const firstUniformIndex = (facts: readonly Fact[]): number =>
  Math.max(
    0,
    ...facts.map(({ side, node }) =>
      node.unevaluatedItems === undefined
        ? (node.prefixItems?.length ?? 0)
        : evaluatedLocations(side, node, "perhaps").items,
    ),
  );

const minItemsOf = (facts: readonly Fact[]): number =>
  Math.max(0, ...facts.map(({ node }) => node.minItems ?? 0));

const maxItemsOf = (facts: readonly Fact[]): number => {
  const declaredMax = Math.min(
    Number.POSITIVE_INFINITY,
    ...facts.map(({ node }) => node.maxItems ?? Number.POSITIVE_INFINITY),
  );
  const last = Math.min(firstUniformIndex(facts), declaredMax);
  for (let index = 0; index <= last; index++) {
    if (itemClaims(facts, index).some(({ node }) => node === false)) return Math.min(index, declaredMax);
  }
  return declaredMax;
};

export const isEmptyArray = (prover: Prover, facts: readonly Fact[], at: ProofPosition): boolean => {
  const least = minItemsOf(facts);
  if (least > maxItemsOf(facts)) return true;
  const last = Math.min(least - 1, firstUniformIndex(facts));
  for (let index = 0; index <= last; index++) {
    if (prover.isEmpty(itemClaims(facts, index), childPosition(at, index))) return true;
  }
  return facts.some(({ side, node }) => {
    const { contains, minContains = 1 } = node;
    if (contains === undefined || minContains === 0) return false;
    return (
      minContains > maxItemsOf(facts) || prover.isEmpty([toClaim(side, contains)], childPosition(at, "*"))
    );
  });
};

const proveItems = (
  prover: Prover,
  facts: readonly Fact[],
  start: number,
  goal: Claim,
  keyword: "items" | "unevaluatedItems",
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  if (goal.node === true) return [];
  const end = Math.max(firstUniformIndex(facts), start);
  const count = maxItemsOf(facts);
  const reasons: IncompatibilityReason[] = [];
  for (let index = start; index <= end && index < count && reasons.length < at.most; index++) {
    const isRest = index === end && count > index + 1;
    const found = prover.prove(itemClaims(facts, index), goal, childPosition(at, isRest ? "*" : index));
    reasons.push(...found.map((each) => (each.keyword === "false" ? { ...each, keyword } : each)));
  }
  return reasons;
};

const itemCountText = (count: number): string => `${count} item${count === 1 ? "" : "s"}`;

const proveCounts = (
  facts: readonly Fact[],
  goal: PlainKeywords,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = goal;
  const least = minItemsOf(facts);
  const count = maxItemsOf(facts);
  const reasons: IncompatibilityReason[] = [];
  if (least < minItems) {
    const may = least === 0 ? "no items" : `only ${itemCountText(least)}`;
    reasons.push(reasonAt(at, "minItems", may, `at least ${itemCountText(minItems)}`, "have"));
  }
  if (count > maxItems) {
    const may = count === Number.POSITIVE_INFINITY ? "any number of items" : itemCountText(count);
    reasons.push(reasonAt(at, "maxItems", may, `at most ${itemCountText(maxItems)}`, "have"));
  }
  if (goal.uniqueItems && count > 1 && !facts.some(({ node }) => node.uniqueItems)) {
    reasons.push(reasonAt(at, "uniqueItems", "the same item twice", "no item twice", "have"));
  }
  return reasons;
};

const proveContains = (
  prover: Prover,
  facts: readonly Fact[],
  { side, node: goal }: Fact,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = goal;
  if (contains === undefined) return [];
  const wanted = toClaim(side, contains);
  const deeper = withoutExplanation(childPosition(at, "*"));
  const fits = (claims: readonly Claim[]): boolean => prover.prove(claims, wanted, deeper).length === 0;

  const enough = (): boolean => {
    if (minContains === 0) return true;
    const promised = facts.some(
      (fact) =>
        fact.node.contains !== undefined &&
        (fact.node.minContains ?? 1) >= minContains &&
        fits([toClaim(fact.side, fact.node.contains)]),
    );
    if (promised) return true;
    const least = minItemsOf(facts);
    const alike = Math.min(least, firstUniformIndex(facts));
    let count = 0;
    for (let index = 0; index < alike; index++) if (fits(itemClaims(facts, index))) count++;
    if (least > alike && count < minContains && fits(itemClaims(facts, alike))) count += least - alike;
    return count >= minContains;
  };

  const notTooMany = (): boolean => {
    if (maxItemsOf(facts) <= maxContains) return true;
    return facts.some(
      (fact) =>
        fact.node.contains !== undefined &&
        (fact.node.maxContains ?? Number.POSITIVE_INFINITY) <= maxContains &&
        prover.prove([wanted], toClaim(fact.side, fact.node.contains), deeper).length === 0,
    );
  };

  const reasons: IncompatibilityReason[] = [];
  if (!enough()) {
    reasons.push(
      reasonAt(at, "contains", "fewer items of the wanted form", `at least ${minContains}`, "have"),
    );
  }
  if (!notTooMany()) {
    reasons.push(reasonAt(at, "maxContains", "more items of that form", `at most ${maxContains}`, "have"));
  }
  return reasons;
};

export const proveArray = (
  prover: Prover,
  facts: readonly Fact[],
  goal: Fact,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { side, node } = goal;
  const { prefixItems = [], items: rest = true, unevaluatedItems } = node;
  const reasons = [...proveCounts(facts, node, at)];
  const count = maxItemsOf(facts);
  for (const [index, each] of prefixItems.entries()) {
    if (index >= count || reasons.length >= at.most) break;
    reasons.push(...prover.prove(itemClaims(facts, index), toClaim(side, each), childPosition(at, index)));
  }
  reasons.push(...proveItems(prover, facts, prefixItems.length, toClaim(side, rest), "items", at));
  reasons.push(...proveContains(prover, facts, goal, at));
  if (unevaluatedItems === undefined) return reasons;
  const seen = evaluatedLocations(side, node, "surely");
  if (seen.everyItem) return reasons;
  const others = toClaim(side, unevaluatedItems);
  return [...reasons, ...proveItems(prover, facts, seen.items, others, "unevaluatedItems", at)];
};
