import type { PlainKeywords } from "../plain/plain-schema.ts";
import { type Claim, claim, type Fact } from "./claim.ts";
import { evaluated } from "./evaluated.ts";
import type { Prover } from "./prover.ts";
import { into, type ProofPosition, probe, type Reason, reasonAt } from "./reason.ts";

/** What is said about the item at a place. */
const itemClaims = (facts: readonly Fact[], index: number): readonly Claim[] =>
  facts.flatMap(({ side, node, filled }) => {
    const { prefixItems = [], items, unevaluatedItems } = node;
    const own = index < prefixItems.length ? prefixItems[index] : items;
    const claims = own === undefined ? [] : [claim(side, own, filled)];
    if (unevaluatedItems === undefined) return claims;
    const seen = evaluated(side, node, "perhaps");
    return seen.everyItem || index < seen.items ? claims : [...claims, claim(side, unevaluatedItems)];
  });

/** From here on every item is like the next. */
const firstAlike = (facts: readonly Fact[]): number =>
  Math.max(
    0,
    ...facts.map(({ side, node }) =>
      node.unevaluatedItems === undefined
        ? (node.prefixItems?.length ?? 0)
        : evaluated(side, node, "perhaps").items,
    ),
  );

const leastItems = (facts: readonly Fact[]): number =>
  Math.max(0, ...facts.map(({ node }) => node.minItems ?? 0));

const mostItems = (facts: readonly Fact[]): number => {
  const said = Math.min(
    Number.POSITIVE_INFINITY,
    ...facts.map(({ node }) => node.maxItems ?? Number.POSITIVE_INFINITY),
  );
  const last = Math.min(firstAlike(facts), said);
  for (let index = 0; index <= last; index++) {
    if (itemClaims(facts, index).some(({ node }) => node === false)) return Math.min(index, said);
  }
  return said;
};

export const isEmptyArray = (prover: Prover, facts: readonly Fact[], at: ProofPosition): boolean => {
  const least = leastItems(facts);
  if (least > mostItems(facts)) return true;
  const last = Math.min(least - 1, firstAlike(facts));
  for (let index = 0; index <= last; index++) {
    if (prover.isEmpty(itemClaims(facts, index), into(at, index))) return true;
  }
  return facts.some(({ side, node }) => {
    const { contains, minContains = 1 } = node;
    if (contains === undefined || minContains === 0) return false;
    return minContains > mostItems(facts) || prover.isEmpty([claim(side, contains)], into(at, "*"));
  });
};

/** Every item from `start` on fits. */
const proveItems = (
  prover: Prover,
  facts: readonly Fact[],
  start: number,
  goal: Claim,
  keyword: "items" | "unevaluatedItems",
  at: ProofPosition,
): readonly Reason[] => {
  if (goal.node === true) return [];
  const end = Math.max(firstAlike(facts), start);
  const count = mostItems(facts);
  const reasons: Reason[] = [];
  for (let index = start; index <= end && index < count && reasons.length < at.most; index++) {
    const isRest = index === end && count > index + 1;
    const found = prover.prove(itemClaims(facts, index), goal, into(at, isRest ? "*" : index));
    reasons.push(...found.map((each) => (each.keyword === "false" ? { ...each, keyword } : each)));
  }
  return reasons;
};

const items = (count: number): string => `${count} item${count === 1 ? "" : "s"}`;

const proveCounts = (facts: readonly Fact[], goal: PlainKeywords, at: ProofPosition): readonly Reason[] => {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = goal;
  const least = leastItems(facts);
  const count = mostItems(facts);
  const reasons: Reason[] = [];
  if (least < minItems) {
    const may = least === 0 ? "no items" : `only ${items(least)}`;
    reasons.push(reasonAt(at, "minItems", may, `at least ${items(minItems)}`, "have"));
  }
  if (count > maxItems) {
    const may = count === Number.POSITIVE_INFINITY ? "any number of items" : items(count);
    reasons.push(reasonAt(at, "maxItems", may, `at most ${items(maxItems)}`, "have"));
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
): readonly Reason[] => {
  const { contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = goal;
  if (contains === undefined) return [];
  const wanted = claim(side, contains);
  const deeper = probe(into(at, "*"));
  const fits = (claims: readonly Claim[]): boolean => prover.prove(claims, wanted, deeper).length === 0;

  const enough = (): boolean => {
    if (minContains === 0) return true;
    const promised = facts.some(
      (fact) =>
        fact.node.contains !== undefined &&
        (fact.node.minContains ?? 1) >= minContains &&
        fits([claim(fact.side, fact.node.contains)]),
    );
    if (promised) return true;
    const least = leastItems(facts);
    const alike = Math.min(least, firstAlike(facts));
    let count = 0;
    for (let index = 0; index < alike; index++) if (fits(itemClaims(facts, index))) count++;
    if (least > alike && count < minContains && fits(itemClaims(facts, alike))) count += least - alike;
    return count >= minContains;
  };

  const notTooMany = (): boolean => {
    if (mostItems(facts) <= maxContains) return true;
    return facts.some(
      (fact) =>
        fact.node.contains !== undefined &&
        (fact.node.maxContains ?? Number.POSITIVE_INFINITY) <= maxContains &&
        prover.prove([wanted], claim(fact.side, fact.node.contains), deeper).length === 0,
    );
  };

  const reasons: Reason[] = [];
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
): readonly Reason[] => {
  const { side, node } = goal;
  const { prefixItems = [], items: rest = true, unevaluatedItems } = node;
  const reasons = [...proveCounts(facts, node, at)];
  const count = mostItems(facts);
  for (const [index, each] of prefixItems.entries()) {
    if (index >= count || reasons.length >= at.most) break;
    reasons.push(...prover.prove(itemClaims(facts, index), claim(side, each), into(at, index)));
  }
  reasons.push(...proveItems(prover, facts, prefixItems.length, claim(side, rest), "items", at));
  reasons.push(...proveContains(prover, facts, goal, at));
  if (unevaluatedItems === undefined) return reasons;
  const seen = evaluated(side, node, "surely");
  if (seen.everyItem) return reasons;
  const others = claim(side, unevaluatedItems);
  return [...reasons, ...proveItems(prover, facts, seen.items, others, "unevaluatedItems", at)];
};
