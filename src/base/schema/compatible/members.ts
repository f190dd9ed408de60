import type { PlainNode } from "../plain/plain-schema.ts";
import { type Claim, type ComparedSchema, claim, expand, type Fact } from "./claim.ts";
import { evaluated } from "./evaluated.ts";
import { finiteValues } from "./finite.ts";
import { onlyKind } from "./made-node.ts";
import type { Prover } from "./prover.ts";

const own = (map: Readonly<Record<string, PlainNode>> | undefined, key: string): PlainNode | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

const matches = (side: ComparedSchema, pattern: string, key: string): boolean =>
  side.judge.context.matcher(pattern).test(key);

export const matchesAny = (side: ComparedSchema, patterns: Iterable<string>, key: string): boolean =>
  [...patterns].some((pattern) => matches(side, pattern, key));

/** What is said about the member of this name. */
export const memberClaims = (prover: Prover, facts: readonly Fact[], key: string): readonly Claim[] =>
  facts.flatMap(({ side, node, filled }): readonly Claim[] => {
    const { properties, patternProperties = {}, additionalProperties, propertyNames } = node;
    if (propertyNames !== undefined && !prover.holds(claim(side, propertyNames), key)) return [never(side)];
    const named = own(properties, key);
    const fitting = Object.keys(patternProperties).filter((pattern) => matches(side, pattern, key));
    const claims = fitting.map((pattern) => claim(side, patternProperties[pattern]!));
    if (named !== undefined) claims.push(claim(side, named, filled));
    if (claims.length === 0 && additionalProperties !== undefined) {
      claims.push(claim(side, additionalProperties, filled));
    }
    if (node.unevaluatedProperties === undefined) return claims;
    const { names, patterns, everyMember } = evaluated(side, node, "perhaps");
    const isSeen = everyMember || names.has(key) || matchesAny(side, patterns, key);
    return isSeen ? claims : [...claims, claim(side, node.unevaluatedProperties)];
  });

const never = (side: ComparedSchema): Claim => claim(side, false);

/** Of a member that no fact calls by its name: which of the goal's patterns its name fits. */
export type Unnamed = { readonly fits: string } | { readonly fitsNone: ReadonlySet<string> };

/** What is said about such a member. */
export const unnamedClaims = (prover: Prover, facts: readonly Fact[], key: Unnamed): readonly Claim[] => {
  const mayFit = (pattern: string): boolean => !("fitsNone" in key && key.fitsNone.has(pattern));
  return facts.flatMap(({ side, node, filled }): readonly Claim[] => {
    if (namesOf(prover, { side, node, filled }) !== undefined) return [never(side)];
    const { patternProperties = {}, additionalProperties = true, unevaluatedProperties } = node;
    const claims: Claim[] = [];
    const equal = "fits" in key ? own(patternProperties, key.fits) : undefined;
    const others = Object.keys(patternProperties).filter(mayFit);
    if (equal !== undefined) claims.push(claim(side, equal));
    else if (others.length === 0) claims.push(claim(side, additionalProperties, filled));
    else {
      // Its name fits one of the other patterns, or none.
      const forms = [additionalProperties, ...others.map((pattern) => patternProperties[pattern]!)];
      claims.push(claim(side, prover.made.anyOf(node, JSON.stringify(others), forms)));
    }
    if (unevaluatedProperties === undefined) return claims;
    const { patterns, everyMember } = evaluated(side, node, "perhaps");
    const isSeen = everyMember || [...patterns].some(mayFit);
    return isSeen ? claims : [...claims, claim(side, unevaluatedProperties)];
  });
};

/** The names that `propertyNames` leaves, where they can be listed. */
const namesOf = (prover: Prover, { side, node }: Fact): readonly string[] | undefined => {
  const { propertyNames } = node;
  if (propertyNames === undefined) return undefined;
  const facts = expand([claim(side, propertyNames), claim(side, onlyKind("string"))]);
  if (facts === false) return [];
  return finiteValues(prover, facts, "string") as readonly string[] | undefined;
};

/** Every name that the facts say something of their own about. */
export const namedMembers = (prover: Prover, facts: readonly Fact[]): ReadonlySet<string> =>
  new Set(
    facts.flatMap((fact) => [
      ...Object.keys(fact.node.properties ?? {}),
      ...(namesOf(prover, fact) ?? []),
      ...(fact.node.unevaluatedProperties === undefined
        ? []
        : evaluated(fact.side, fact.node, "perhaps").names),
    ]),
  );

/** Members that are there: required, required beside another that is there, or filled in. */
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
