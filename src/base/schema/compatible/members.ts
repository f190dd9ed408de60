import {
  definitionIndexOf,
  inPlaceSubschemas,
  type PlainKeywords,
  type PlainNode,
} from "../plain/plain-schema.ts";
import { type Claim, type ComparedSchema, expand, type Fact, type Prover, toClaim } from "./claim.ts";
import { negated, onlyKind, withoutChoiceKeyword } from "./synthetic-nodes.ts";
import { finiteValues, kindsOfAll, listKinds } from "./value-kind.ts";

const ownNode = (map: Readonly<Record<string, PlainNode>> | undefined, key: string): PlainNode | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

const matches = (side: ComparedSchema, pattern: string, key: string): boolean =>
  side.judge.context.matcher(pattern).test(key);

export const matchesAny = (side: ComparedSchema, patterns: Iterable<string>, key: string): boolean =>
  [...patterns].some((pattern) => matches(side, pattern, key));

export const memberClaims = (prover: Prover, facts: readonly Fact[], key: string): readonly Claim[] =>
  facts.flatMap(({ side, node, filled }): readonly Claim[] => {
    const { properties, patternProperties = {}, additionalProperties, propertyNames } = node;
    if (propertyNames !== undefined && !prover.holds(toClaim(side, propertyNames), key))
      return [falseClaim(side)];
    const named = ownNode(properties, key);
    const fitting = Object.keys(patternProperties).filter((pattern) => matches(side, pattern, key));
    const claims = fitting.map((pattern) => toClaim(side, patternProperties[pattern]!));
    if (named !== undefined) claims.push(toClaim(side, named, filled));
    if (claims.length === 0 && additionalProperties !== undefined) {
      claims.push(toClaim(side, additionalProperties, filled));
    }
    if (node.unevaluatedProperties === undefined) return claims;
    const { names, patterns, everyMember } = evaluatedLocations(side, node, "perhaps");
    const isSeen = everyMember || names.has(key) || matchesAny(side, patterns, key);
    return isSeen ? claims : [...claims, toClaim(side, node.unevaluatedProperties)];
  });

interface EvaluatedLocations {
  readonly names: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
  readonly everyMember: boolean;
  readonly items: number;
  readonly everyItem: boolean;
}

/**
 * `surely` counts what always applies, `perhaps` also the branches of choices. What `unevaluated…` sees is
 * between these bounds.
 */
export const evaluatedLocations = (
  side: ComparedSchema,
  root: PlainKeywords,
  certainty: "surely" | "perhaps",
): EvaluatedLocations => {
  const names = new Set<string>();
  const patterns = new Set<string>();
  let everyMember = false;
  let items = 0;
  let everyItem = false;

  const see = (node: PlainKeywords): void => {
    for (const name of Object.keys(node.properties ?? {})) names.add(name);
    for (const pattern of Object.keys(node.patternProperties ?? {})) patterns.add(pattern);
    everyMember ||= node.additionalProperties !== undefined;
    everyItem ||= node.items !== undefined;
    items = Math.max(items, node.prefixItems?.length ?? 0);
    // Which items match depends on the value.
    if (certainty === "perhaps") everyItem ||= node.contains !== undefined;
    if (node === root) return;
    everyMember ||= node.unevaluatedProperties !== undefined;
    everyItem ||= node.unevaluatedItems !== undefined;
  };

  const visit = (node: PlainNode): void => {
    if (typeof node === "boolean") return;
    see(node);
    if (node.$ref !== undefined) visit(side.schema.definitions[definitionIndexOf(node.$ref)]!);
    for (const each of certainty === "surely" ? (node.allOf ?? []) : inPlaceSubschemas(node)) visit(each);
  };

  visit(root);
  return { names, patterns, everyMember, items, everyItem };
};

const falseClaim = (side: ComparedSchema): Claim => toClaim(side, false);

/** A member that no fact names, by the goal's patterns that its name matches. */
export type UnnamedMember = { readonly fits: string } | { readonly fitsNone: ReadonlySet<string> };

export const unnamedClaims = (
  prover: Prover,
  facts: readonly Fact[],
  key: UnnamedMember,
): readonly Claim[] => {
  const mayFit = (pattern: string): boolean => !("fitsNone" in key && key.fitsNone.has(pattern));
  return facts.flatMap(({ side, node, filled }): readonly Claim[] => {
    if (listedNamesOf(prover, { side, node, filled }) !== undefined) return [falseClaim(side)];
    const { patternProperties = {}, additionalProperties = true, unevaluatedProperties } = node;
    const claims: Claim[] = [];
    const equal = "fits" in key ? ownNode(patternProperties, key.fits) : undefined;
    const others = Object.keys(patternProperties).filter(mayFit);
    if (equal !== undefined) claims.push(toClaim(side, equal));
    else if (others.length === 0) claims.push(toClaim(side, additionalProperties, filled));
    else {
      const forms = [additionalProperties, ...others.map((pattern) => patternProperties[pattern]!)];
      claims.push(toClaim(side, prover.made.anyOf(node, JSON.stringify(others), forms)));
    }
    if (unevaluatedProperties === undefined) return claims;
    const { patterns, everyMember } = evaluatedLocations(side, node, "perhaps");
    const isSeen = everyMember || [...patterns].some(mayFit);
    return isSeen ? claims : [...claims, toClaim(side, unevaluatedProperties)];
  });
};

const listedNamesOf = (prover: Prover, { side, node }: Fact): readonly string[] | undefined => {
  const { propertyNames } = node;
  if (propertyNames === undefined) return undefined;
  const facts = expand([toClaim(side, propertyNames), toClaim(side, onlyKind("string"))]);
  if (facts === false) return [];
  return finiteValues(prover, facts, "string") as readonly string[] | undefined;
};

export const namedMembers = (prover: Prover, facts: readonly Fact[]): ReadonlySet<string> =>
  new Set(
    facts.flatMap((fact) => [
      ...Object.keys(fact.node.properties ?? {}),
      ...(listedNamesOf(prover, fact) ?? []),
      ...(fact.node.unevaluatedProperties === undefined
        ? []
        : evaluatedLocations(fact.side, fact.node, "perhaps").names),
    ]),
  );

/** Required, required by a dependency, or filled by default. */
export const requiredMembers = (facts: readonly Fact[]): ReadonlySet<string> => {
  const required = new Set<string>();
  for (const { side, node, filled } of facts) {
    for (const key of node.required ?? []) required.add(key);
    for (const key of (filled && side.fills.get(node)) || []) required.add(key);
  }
  const rules = facts.flatMap(({ node }) => Object.entries(node.dependentRequired ?? {}));
  for (let before = -1; before < required.size; ) {
    before = required.size;
    for (const [name, keys] of rules) if (required.has(name)) for (const key of keys) required.add(key);
  }
  return required;
};

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
