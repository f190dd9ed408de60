import { definitionOf, type JsonType, type PlainKeywords, type PlainNode } from "../plain/plain-schema.ts";
import { type Claim, claim, type Fact } from "./claim.ts";

/** The kinds of values that no schema keyword mixes up. Of numbers there are two: with and without a fraction. */
export type ValueKind = "array" | "boolean" | "fraction" | "integer" | "null" | "object" | "string";

const kinds: readonly ValueKind[] = ["null", "boolean", "integer", "fraction", "string", "array", "object"];
const bit: Readonly<Record<ValueKind, number>> = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  string: 16,
  array: 32,
  object: 64,
};
const numbers = bit.integer | bit.fraction;
const all = 127;

/** A set of kinds, as bits. */
export type Kinds = number;

export const listKinds = (set: Kinds): readonly ValueKind[] =>
  kinds.filter((kind) => (set & bit[kind]) !== 0);

export const hasKind = (set: Kinds, kind: ValueKind): boolean => (set & bit[kind]) !== 0;

export const ofKind = (kind: ValueKind): Kinds => bit[kind];

export const ofTypes = (types: readonly JsonType[]): Kinds =>
  types.reduce((set, type) => set | (type === "number" ? numbers : bit[type]), 0);

export const kindOf = (value: unknown): ValueKind => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "fraction";
  return typeof value as "boolean" | "object" | "string";
};

/** As schemas spell them. */
export const nameKinds = (set: Kinds): string => {
  const isNumber = (set & numbers) === numbers;
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

const known = new WeakMap<PlainKeywords, Kinds>();

/** Every kind that could fit; perhaps also some that do not. */
export const kindsOf = ({ side, node }: Claim): Kinds => {
  if (typeof node === "boolean") return node ? all : 0;
  const found = known.get(node) ?? findKinds({ side, node, filled: false });
  known.set(node, found);
  return found;
};

const findKinds = ({ side, node }: Fact): Kinds => {
  const within = (nodes: readonly PlainNode[]): Kinds =>
    nodes.reduce((set: Kinds, each) => set | kindsOf(claim(side, each)), 0);
  let set = node.type === undefined ? all : ofTypes(node.type);
  const values = node.enum ?? node.values;
  if (values !== undefined) set &= values.reduce((kinds: Kinds, value) => kinds | bit[kindOf(value)], 0);
  if (node.anyOf !== undefined) set &= within(node.anyOf);
  if (node.oneOf !== undefined) set &= within(node.oneOf);
  if (node.$ref !== undefined) set &= kindsOf(claim(side, side.schema.definitions[definitionOf(node.$ref)]!));
  for (const each of node.allOf ?? []) set &= kindsOf(claim(side, each));
  const unwanted = node.not === undefined ? undefined : onlyType(node.not);
  return unwanted === undefined ? set : set & ~ofTypes(unwanted);
};

export const kindsOfAll = (facts: readonly Fact[]): Kinds =>
  facts.reduce((set: Kinds, fact) => set & kindsOf(fact), all);
