import type { PlainNode } from "../plain/plain-schema.ts";
import { type Claim, type ComparedSchema, expand, type Fact, toClaim } from "./claim.ts";
import { evaluatedLocations } from "./evaluated-locations.ts";
import { finiteValues } from "./finite-values.ts";
import type { Prover } from "./prover.ts";
import { onlyKind } from "./synthetic-nodes.ts";

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
