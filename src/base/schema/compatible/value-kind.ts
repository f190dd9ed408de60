import {
  definitionIndexOf,
  type JsonType,
  type PlainKeywords,
  type PlainNode,
} from "../plain/plain-schema.ts";
import {
  type Claim,
  type Fact,
  type IncompatibilityReason,
  type ProofPosition,
  type Prover,
  reasonAt,
  toClaim,
} from "./claim.ts";
import { numberRange } from "./numbers.ts";

/** Disjoint, so numbers with and without a fraction are separate. */
export type ValueKind = "array" | "boolean" | "fraction" | "integer" | "null" | "object" | "string";

const valueKinds: readonly ValueKind[] = [
  "null",
  "boolean",
  "integer",
  "fraction",
  "string",
  "array",
  "object",
];
const kindBit: Readonly<Record<ValueKind, number>> = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
};
const numberKinds = kindBit.integer | kindBit.fraction;
const allKinds = 127;

/** Bit set of kinds. */
export type KindSet = number;

export const listKinds = (set: KindSet): readonly ValueKind[] =>
  valueKinds.filter((kind) => (set & kindBit[kind]) !== 0);

export const hasKind = (set: KindSet, kind: ValueKind): boolean => (set & kindBit[kind]) !== 0;

export const kindSetOf = (kind: ValueKind): KindSet => kindBit[kind];

export const kindSetOfTypes = (types: readonly JsonType[]): KindSet =>
  types.reduce((set, type) => set | (type === "number" ? numberKinds : kindBit[type]), 0);

export const valueKindOf = (value: unknown): ValueKind => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "fraction";
  return typeof value as "boolean" | "object" | "string";
};

export const nameKinds = (set: KindSet): string => {
  const isNumber = (set & numberKinds) === numberKinds;
  const names = listKinds(set).map((kind) => {
    if (kind === "fraction") return isNumber ? "number" : "number with a fraction";
    return kind;
  });
  return names.filter((name) => !(isNumber && name === "integer")).join(" or ");
};

const onlyType = (node: PlainNode): readonly JsonType[] | undefined => {
  if (typeof node === "boolean" || node.type === undefined) return undefined;
  const isAlone = Object.keys(node).every((keyword) => keyword === "type" || keyword === "description");
  return isAlone ? node.type : undefined;
};

const kindSetCache = new WeakMap<PlainKeywords, KindSet>();

/** An upper bound. */
export const kindsOf = ({ side, node }: Claim): KindSet => {
  if (typeof node === "boolean") return node ? allKinds : 0;
  const found = kindSetCache.get(node) ?? computeKinds({ side, node, filled: false });
  kindSetCache.set(node, found);
  return found;
};

const computeKinds = ({ side, node }: Fact): KindSet => {
  const within = (nodes: readonly PlainNode[]): KindSet =>
    nodes.reduce((set: KindSet, each) => set | kindsOf(toClaim(side, each)), 0);
  let set = node.type === undefined ? allKinds : kindSetOfTypes(node.type);
  const values = node.enum ?? node.values;
  if (values !== undefined)
    set &= values.reduce((kinds: KindSet, value) => kinds | kindBit[valueKindOf(value)], 0);
  if (node.anyOf !== undefined) set &= within(node.anyOf);
  if (node.oneOf !== undefined) set &= within(node.oneOf);
  if (node.$ref !== undefined)
    set &= kindsOf(toClaim(side, side.schema.definitions[definitionIndexOf(node.$ref)]!));
  for (const each of node.allOf ?? []) set &= kindsOf(toClaim(side, each));
  const unwanted = node.not === undefined ? undefined : onlyType(node.not);
  return unwanted === undefined ? set : set & ~kindSetOfTypes(unwanted);
};

export const kindsOfAll = (facts: readonly Fact[]): KindSet =>
  facts.reduce((set: KindSet, fact) => set & kindsOf(fact), allKinds);

const maxListedRange = 64;

export const finiteValues = (
  prover: Prover,
  facts: readonly Fact[],
  kind: ValueKind,
): readonly unknown[] | undefined =>
  listValues(facts, kind)?.filter(
    (value) => valueKindOf(value) === kind && facts.every((fact) => prover.holds(fact, value)),
  );

const listValues = (facts: readonly Fact[], kind: ValueKind): readonly unknown[] | undefined => {
  let fewest: readonly unknown[] | undefined;
  for (const { node } of facts) {
    const values = node.enum ?? node.values;
    if (values !== undefined && values.length < (fewest?.length ?? Number.POSITIVE_INFINITY)) fewest = values;
  }
  if (fewest !== undefined) return fewest;
  if (kind === "null") return [null];
  if (kind === "boolean") return [true, false];
  if (kind === "integer" || kind === "fraction") return integersInRange(facts, kind);
  if (kind === "string") return facts.some(({ node }) => node.maxLength === 0) ? [""] : undefined;
  if (kind === "array") return facts.some(({ node }) => node.maxItems === 0) ? [[]] : undefined;
  return facts.some(({ node }) => node.maxProperties === 0) ? [{}] : undefined;
};

const integersInRange = (
  facts: readonly Fact[],
  kind: "fraction" | "integer",
): readonly number[] | undefined => {
  const { low, high, step } = numberRange(facts, kind);
  if (low > high) return [];
  if (low === high) return [low];
  if (kind === "fraction" || !((high - low) / step < maxListedRange)) return undefined;
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
};

const minTextLength = (facts: readonly Fact[]): number =>
  Math.max(0, ...facts.map(({ node }) => node.minLength ?? 0));

const maxTextLength = (facts: readonly Fact[]): number =>
  Math.min(...facts.map(({ node }) => node.maxLength ?? Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);

export const isEmptyText = (facts: readonly Fact[]): boolean => minTextLength(facts) > maxTextLength(facts);

const matchAllPatterns: ReadonlySet<string> = new Set(["", ".*", "^", "$", "^.*", ".*$"]);

const characterCountText = (count: number): string => `${count} character${count === 1 ? "" : "s"}`;

/** Inclusion of different patterns is not decided. */
export const proveText = (
  facts: readonly Fact[],
  goal: PlainKeywords,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = goal;
  const least = minTextLength(facts);
  const longest = maxTextLength(facts);
  const reasons: IncompatibilityReason[] = [];
  if (least < minLength) {
    const may = least === 0 ? "empty" : `as short as ${characterCountText(least)}`;
    reasons.push(reasonAt(at, "minLength", may, `at least ${characterCountText(minLength)} long`));
  }
  if (longest > maxLength) {
    const may =
      longest === Number.POSITIVE_INFINITY ? "of any length" : `as long as ${characterCountText(longest)}`;
    reasons.push(reasonAt(at, "maxLength", may, `at most ${characterCountText(maxLength)} long`));
  }
  if (
    pattern !== undefined &&
    !matchAllPatterns.has(pattern) &&
    !facts.some(({ node }) => node.pattern === pattern)
  ) {
    const own = facts.flatMap(({ node }) => node.pattern ?? []);
    const may = own.length === 0 ? "any text" : `any text that matches ${own.join(" and ")}`;
    reasons.push(reasonAt(at, "pattern", may, `a text that matches ${pattern}`));
  }
  return reasons;
};
