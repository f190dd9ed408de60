import {
  definitionIndexOf,
  type JsonType,
  type PlainKeywords,
  type PlainNode,
} from "../plain/plain-schema.ts";
import { type Claim, type Fact, toClaim } from "./claim.ts";

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
