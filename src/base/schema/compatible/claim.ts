import { toPointer } from "../../json/json-value.ts";
import type { SchemaEvaluator } from "../evaluate/context.ts";
import {
  definitionIndexOf,
  type PlainKeywords,
  type PlainNode,
  type PlainSchema,
} from "../plain/plain-schema.ts";
import type { DefaultedMembers } from "./defaulted-members.ts";
import type { SyntheticNodes } from "./synthetic-nodes.ts";

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

export const proofLimits = { steps: 20_000, nesting: 150 } as const;

export class ProofLimitError extends Error {}

/** Why a value that fits one schema may not fit the other. */
export interface IncompatibilityReason {
  /** JSON pointer into the value; `*` stands for any other item or member. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  /** `may be missing` in the narrow schema, `must be there` in the wide one. */
  readonly may: string;
  readonly must: string;
}

export interface ProofPosition {
  readonly pointer: string;
  readonly level: number;
  readonly most: number;
}

export const rootPosition: ProofPosition = Object.freeze({ pointer: "", level: 0, most: 20 });

export const childPosition = (at: ProofPosition, key: string | number): ProofPosition => ({
  pointer: at.pointer + toPointer([key]),
  level: at.level + 1,
  most: at.most,
});

/** For callers that need only yes or no. */
export const withoutExplanation = (at: ProofPosition): ProofPosition =>
  at.most === 1 ? at : { ...at, most: 1 };

export const reasonAt = (
  at: ProofPosition,
  keyword: string,
  may: string,
  must: string,
  verb: "be" | "have" | "fit" = "be",
): IncompatibilityReason => ({
  pointer: at.pointer,
  keyword,
  message: `${at.pointer === "" ? "the value" : at.pointer} may ${verb} ${may}, but must ${verb} ${must}`,
  may: `may ${verb} ${may}`,
  must: `must ${verb} ${must}`,
});

export const distinctReasons = (
  reasons: readonly IncompatibilityReason[],
  max: number,
): readonly IncompatibilityReason[] => {
  const found = new Map<string, IncompatibilityReason>();
  for (const reason of reasons) {
    const key = `${reason.pointer} ${reason.keyword}`;
    if (!found.has(key)) found.set(key, reason);
  }
  return [...found.values()].slice(0, max);
};

/** Sound and incomplete: what it cannot prove counts as false. */
export interface Prover {
  /** Why a value that fits the claims may not fit the goal. Empty if it always fits. */
  readonly prove: (
    claims: readonly Claim[],
    goal: Claim,
    at: ProofPosition,
  ) => readonly IncompatibilityReason[];
  /** Whether no value fits all claims. */
  readonly isEmpty: (claims: readonly Claim[], at: ProofPosition) => boolean;
  readonly holds: (claim: Claim, value: unknown) => boolean;
  readonly shapeOf: (claim: Claim) => number;
  readonly made: SyntheticNodes;
}
