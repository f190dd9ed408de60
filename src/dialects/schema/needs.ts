import type { JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { AnyTool } from "../../words/tool.ts";
import { isSettled, settle } from "../frozen.ts";

/** What some format wants written otherwise, one bit each. */
export const needs = {
  /** `$ref` and what is there to be referred to. */
  references: 1,
  /** `$schema`. */
  dialect: 2,
  /** Tuples and dependencies as drafts before 2020-12 write them. */
  draft: 4,
  /** `true` or `false` as a property. */
  booleans: 8,
  /** A list without `items`, or an object without `properties`. */
  incomplete: 16,
  /** A property whose name some provider refuses. */
  names: 32,
} as const;

/** Property names that every provider takes. */
export const takenName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Not frozen to the leaf: nothing can be said that will still be true. */
const unknown = -1;

const known = new WeakMap<JsonSchema, number>();

const byKeyword = new Map<string, number>([
  ["$defs", needs.references],
  ["$ref", needs.references],
  ["definitions", needs.references],
  ["$schema", needs.dialect],
  ["dependencies", needs.draft],
]);

const ofList = (list: readonly unknown[]): number => {
  let found = 0;
  for (const item of list) if (typeof item === "object" && item !== null) found |= find(item);
  return found;
};

/** Asks too much rather than too little: data that looks like a schema is judged as one. */
const find = (value: object): number => {
  if (!Object.isFrozen(value)) return unknown;
  if (Array.isArray(value)) return ofList(value);
  const schema = value as JsonSchema;
  const { type } = schema;
  let found = 0;
  if (type === "array" && schema.items === undefined) found |= needs.incomplete;
  if (type === "object" && schema.properties === undefined) found |= needs.incomplete;
  for (const keyword in schema) {
    found |= byKeyword.get(keyword) ?? 0;
    const below = schema[keyword];
    if (typeof below !== "object" || below === null) continue;
    if (keyword === "items" && Array.isArray(below)) found |= needs.draft;
    found |= find(below);
    if (keyword !== "properties") continue;
    for (const name in below) {
      if (typeof (below as JsonSchema)[name] === "boolean") found |= needs.booleans;
      if (!takenName.test(name)) found |= needs.names;
    }
  }
  return found;
};

const needsOf = (schema: JsonSchema): number => {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const found = find(schema);
  if (found === unknown) return unknown;
  known.set(schema, found);
  if (!isSettled(schema)) settle(schema);
  return found;
};

/**
 * Whether a schema is frozen to the leaf and holds nothing below the root that a format writes otherwise. Most are
 * like this, and then every format shares the one schema.
 */
export const isPlain = (schema: JsonSchema, rewrites: number): boolean => (needsOf(schema) & rewrites) === 0;

/**
 * Found out when a tool is registered, so that the first offer, for which a model waits, need not. A schema that is made
 * when it is first read is left for its first reader: of a thousand such tools most are never looked at.
 */
export const lookAhead = (tools: Iterable<AnyTool>): void => {
  for (const { spec } of tools) if (!isMadeOnDemand(spec)) needsOf(spec.input);
};

const isMadeOnDemand = (spec: ToolSpec): boolean =>
  Object.getOwnPropertyDescriptor(spec, "input")?.get !== undefined;
