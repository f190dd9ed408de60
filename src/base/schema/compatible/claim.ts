import type { SchemaEvaluator } from "../evaluate/context.ts";
import {
  definitionIndexOf,
  type PlainKeywords,
  type PlainNode,
  type PlainSchema,
} from "../plain/plain-schema.ts";
import type { DefaultedMembers } from "./defaulted-members.ts";

/** A node is only meaningful with the definitions of its schema. */
export interface ComparedSchema {
  readonly schema: PlainSchema;
  readonly judge: SchemaEvaluator;
  readonly fills: DefaultedMembers;
}

/** A node that holds for the value. */
export interface Claim {
  readonly side: ComparedSchema;
  readonly node: PlainNode;
  /** The validator does not fill defaults inside a choice. */
  readonly filled: boolean;
}

export interface Fact extends Claim {
  readonly node: PlainKeywords;
}

export const toClaim = (side: ComparedSchema, node: PlainNode, filled = false): Claim => ({
  side,
  node,
  filled,
});

const annotationKeywords: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "default",
  "description",
  "format",
  "secret",
]);

const isReferenceOnly = (node: PlainKeywords): boolean =>
  Object.keys(node).every((keyword) => annotationKeywords.has(keyword));

const doubleNegationOf = ({ not }: PlainKeywords): PlainNode | undefined =>
  typeof not === "object" && Object.keys(not).length === 1 ? not.not : undefined;

const targetOf = (side: ComparedSchema, reference: string): PlainNode =>
  side.schema.definitions[definitionIndexOf(reference)]!;

export const resolveClaim = (given: Claim): Claim => {
  const { side, node, filled } = given;
  const isAlias = typeof node !== "boolean" && node.$ref !== undefined && node.allOf === undefined;
  return isAlias && isReferenceOnly(node)
    ? resolveClaim({ side, node: targetOf(side, node.$ref!), filled })
    : given;
};

/** Flattens references and `allOf`; `false` if the claims contradict each other. */
export const expand = (claims: readonly Claim[]): readonly Fact[] | false => {
  const facts = new Map<PlainKeywords, Fact>();
  const open = claims.toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { side, node, filled } = next;
    if (node === true) continue;
    if (node === false) return false;
    const known = facts.get(node);
    if (known !== undefined && (known.filled || !filled)) continue;
    if (!isReferenceOnly(node)) facts.set(node, { side, node, filled });
    for (const each of node.allOf ?? []) open.push(toClaim(side, each));
    const affirmed = doubleNegationOf(node);
    if (affirmed !== undefined) open.push(toClaim(side, affirmed));
    if (node.$ref !== undefined) open.push(toClaim(side, targetOf(side, node.$ref), filled));
  }
  return [...facts.values()];
};
