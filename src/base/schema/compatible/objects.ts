import { describeNode } from "../evaluate/describe-node.ts";
import type { PlainKeywords, PlainNode } from "../plain/plain-schema.ts";
import {
  type Claim,
  type ComparedSchema,
  childPosition,
  expand,
  type Fact,
  type IncompatibilityReason,
  type ProofPosition,
  type Prover,
  reasonAt,
  toClaim,
} from "./claim.ts";
import {
  evaluatedLocations,
  matchesAny,
  memberClaims,
  namedMembers,
  requiredMembers,
  unnamedClaims,
} from "./members.ts";
import { onlyKind } from "./synthetic-nodes.ts";

/** Adds the `dependentSchemas` of required members; `false` if they contradict the facts. */
const withDependentSchemas = (facts: readonly Fact[]): readonly Fact[] | false => {
  let known: readonly Fact[] = facts;
  for (;;) {
    const required = requiredMembers(known);
    const brought = known.flatMap(({ side, node }) =>
      Object.entries(node.dependentSchemas ?? {})
        .filter(([name]) => required.has(name))
        .map(([, each]) => toClaim(side, each)),
    );
    const next = brought.length === 0 ? known : expand([...known, ...brought]);
    if (next === false || next.length === known.length) return next;
    known = next;
  }
};

const noNames = new Set<string>();

const maxMembersOf = (prover: Prover, facts: readonly Fact[]): number => {
  const declaredMax = Math.min(
    Number.POSITIVE_INFINITY,
    ...facts.map(({ node }) => node.maxProperties ?? Number.POSITIVE_INFINITY),
  );
  const isOpen = !isImpossible(unnamedClaims(prover, facts, { fitsNone: noNames }));
  if (isOpen) return declaredMax;
  const names = [...namedMembers(prover, facts)];
  return Math.min(
    declaredMax,
    names.filter((name) => !isImpossible(memberClaims(prover, facts, name))).length,
  );
};

const isImpossible = (claims: readonly Claim[]): boolean => expand(claims) === false;

const minMembersOf = (facts: readonly Fact[]): number =>
  Math.max(requiredMembers(facts).size, ...facts.map(({ node }) => node.minProperties ?? 0));

export const isEmptyObject = (prover: Prover, given: readonly Fact[], at: ProofPosition): boolean => {
  const facts = withDependentSchemas(given);
  if (facts === false || minMembersOf(facts) > maxMembersOf(prover, facts)) return true;
  return [...requiredMembers(facts)].some((key) =>
    prover.isEmpty(memberClaims(prover, facts, key), childPosition(at, key)),
  );
};

const propertyCountText = (count: number): string => `${count} propert${count === 1 ? "y" : "ies"}`;

const proveCounts = (
  prover: Prover,
  facts: readonly Fact[],
  goal: PlainKeywords,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { minProperties, maxProperties } = goal;
  const reasons: IncompatibilityReason[] = [];
  if (minProperties !== undefined && minMembersOf(facts) < minProperties) {
    const may = `only ${propertyCountText(minMembersOf(facts))}`;
    reasons.push(reasonAt(at, "minProperties", may, `at least ${propertyCountText(minProperties)}`, "have"));
  }
  const count = maxProperties === undefined ? 0 : maxMembersOf(prover, facts);
  if (maxProperties !== undefined && count > maxProperties) {
    const may = count === Number.POSITIVE_INFINITY ? "any number of properties" : propertyCountText(count);
    reasons.push(reasonAt(at, "maxProperties", may, `at most ${propertyCountText(maxProperties)}`, "have"));
  }
  return reasons;
};

const proveMember = (
  prover: Prover,
  facts: readonly Fact[],
  key: string,
  goal: Claim,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const claims = memberClaims(prover, facts, key);
  const reasons = prover.prove(claims, goal, at);
  if (reasons.length === 0 || claims.length > 0) return reasons;
  const must = describeNode(goal.side.schema, goal.node);
  return [reasonAt(at, "additionalProperties", "any property, because the object is not closed", must)];
};

/** Every member except those of these names and patterns. */
const proveOthers = (
  prover: Prover,
  facts: readonly Fact[],
  but: {
    readonly side: ComparedSchema;
    readonly names: ReadonlySet<string>;
    readonly patterns: ReadonlySet<string>;
  },
  rule: { readonly node: PlainNode; readonly keyword: string },
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  if (rule.node === true) return [];
  const goal = toClaim(but.side, rule.node);
  const reasons: IncompatibilityReason[] = [];
  const proveMembers = (key: string, claims: readonly Claim[]): void => {
    if (reasons.length >= at.most) return;
    for (const reason of prover.prove(claims, goal, childPosition(at, key))) {
      reasons.push(reason.keyword === "false" ? { ...reason, keyword: rule.keyword } : reason);
    }
  };
  for (const name of namedMembers(prover, facts)) {
    if (but.names.has(name) || matchesAny(but.side, but.patterns, name)) continue;
    proveMembers(name, memberClaims(prover, facts, name));
  }
  proveMembers("*", unnamedClaims(prover, facts, { fitsNone: but.patterns }));
  return reasons;
};

const provePattern = (
  prover: Prover,
  facts: readonly Fact[],
  pattern: string,
  goal: Claim,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const named = [...namedMembers(prover, facts)].filter((name) => matchesAny(goal.side, [pattern], name));
  return [
    ...named.flatMap((name) =>
      prover.prove(memberClaims(prover, facts, name), goal, childPosition(at, name)),
    ),
    ...prover.prove(unnamedClaims(prover, facts, { fits: pattern }), goal, childPosition(at, "*")),
  ];
};

const proveNames = (
  prover: Prover,
  facts: readonly Fact[],
  goal: Claim,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  if (goal.node === true) return [];
  const reasons: IncompatibilityReason[] = [];
  for (const name of namedMembers(prover, facts)) {
    if (prover.holds(goal, name) || isImpossible(memberClaims(prover, facts, name))) continue;
    reasons.push(reasonAt(at, "propertyNames", `a property "${name}"`, "no such name", "have"));
  }
  if (isImpossible(unnamedClaims(prover, facts, { fitsNone: noNames }))) return reasons;
  const names = facts.flatMap(({ side, node }) => [
    ...(node.propertyNames === undefined ? [] : [toClaim(side, node.propertyNames)]),
    ...(node.additionalProperties === false ? [toClaim(side, patternsOf(prover, node))] : []),
  ]);
  const text = toClaim(goal.side, onlyKind("string"));
  const others = prover.prove([...names, text], goal, childPosition(at, "*"));
  return [...reasons, ...others.map((reason) => ({ ...reason, keyword: "propertyNames" }))];
};

const patternsOf = (prover: Prover, node: PlainKeywords): PlainNode =>
  prover.made.anyOf(
    node,
    "names",
    Object.keys(node.patternProperties ?? {}).map((pattern) => ({ pattern })),
  );

const proveDependents = (
  prover: Prover,
  facts: readonly Fact[],
  { side, node }: Fact,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const claimsWith = (name: string): readonly Claim[] => [
    ...facts,
    toClaim(side, prover.made.required(name)),
  ];
  const rules = [
    ...Object.entries(node.dependentRequired ?? {}).flatMap(([name, keys]) =>
      keys.map((key) => [name, prover.made.required(key)] as const),
    ),
    ...Object.entries(node.dependentSchemas ?? {}),
  ];
  return rules.flatMap(([name, rule]) => prover.prove(claimsWith(name), toClaim(side, rule), at));
};

export const proveObject = (
  prover: Prover,
  given: readonly Fact[],
  goal: Fact,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const facts = withDependentSchemas(given);
  if (facts === false) return [];
  const { side, node } = goal;
  const required = requiredMembers(facts);
  const reasons: IncompatibilityReason[] = [];
  for (const key of new Set(node.required)) {
    if (!required.has(key)) reasons.push(reasonAt(childPosition(at, key), "required", "missing", "there"));
  }
  reasons.push(...proveCounts(prover, facts, node, at));
  for (const [key, each] of Object.entries(node.properties ?? {})) {
    if (reasons.length >= at.most) return reasons;
    reasons.push(...proveMember(prover, facts, key, toClaim(side, each), childPosition(at, key)));
  }
  for (const [pattern, each] of Object.entries(node.patternProperties ?? {})) {
    reasons.push(...provePattern(prover, facts, pattern, toClaim(side, each), at));
  }
  const { additionalProperties = true, unevaluatedProperties = true, propertyNames = true } = node;
  const names = new Set(Object.keys(node.properties ?? {}));
  const patterns = new Set(Object.keys(node.patternProperties ?? {}));
  const others = { node: additionalProperties, keyword: "additionalProperties" };
  reasons.push(...proveOthers(prover, facts, { side, names, patterns }, others, at));
  reasons.push(...proveNames(prover, facts, toClaim(side, propertyNames), at));
  reasons.push(...proveDependents(prover, facts, goal, at));
  const seen = evaluatedLocations(side, node, "surely");
  if (seen.everyMember || unevaluatedProperties === true) return reasons;
  const unseen = { node: unevaluatedProperties, keyword: "unevaluatedProperties" };
  return [...reasons, ...proveOthers(prover, facts, { side, ...seen }, unseen, at)];
};
