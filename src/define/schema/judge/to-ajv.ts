import type { PlainKeywords, PlainNode } from "../plain/plain-schema.ts";

/** A schema as the code generator is shown it. */
export type AjvNode = boolean | Readonly<Record<string, unknown>>;

const one = ["items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"];
const lists = ["prefixItems", "allOf", "anyOf", "oneOf"];
const maps = ["properties", "patternProperties", "dependentSchemas"];

const convert = (keyword: string, value: unknown): unknown => {
  if (one.includes(keyword)) return toAjv(value as PlainNode);
  if (lists.includes(keyword)) return (value as PlainNode[]).map(toAjv);
  if (!maps.includes(keyword)) return value;
  const entries = Object.entries(value as Record<string, PlainNode>);
  return Object.fromEntries(entries.map(([name, each]) => [name, toAjv(each)]));
};

const unsafeKey = "__proto__";

const split = <T>(map: Readonly<Record<string, T>>): [safe: Record<string, T>, unsafe: T | undefined] => {
  const { [unsafeKey]: _, ...safe } = map;
  return [safe, Object.hasOwn(map, unsafeKey) ? map[unsafeKey] : undefined];
};

type Shown = Record<string, unknown> & { allOf?: unknown[] };

const and = (shown: Shown, node: unknown): void => {
  shown.allOf = [...(shown.allOf ?? []), node];
};

/** It leaves keys of this name out, so they become what it does not: a pattern that only they match. */
const keepUnsafeKey = (shown: Shown): void => {
  const [byPattern, pattern] = split((shown.patternProperties as Record<string, unknown> | undefined) ?? {});
  const [properties, property] = split((shown.properties as Record<string, unknown> | undefined) ?? {});
  if (pattern === undefined && property === undefined) return;
  if (pattern !== undefined) byPattern[`(?:${unsafeKey})`] = pattern;
  if (property !== undefined) {
    const exact = `^${unsafeKey}$`;
    byPattern[exact] = byPattern[exact] === undefined ? property : { allOf: [byPattern[exact], property] };
  }
  Object.assign(shown, { properties, patternProperties: byPattern });
};

/** Where these have nothing to look at they leave their result unset, and what stands beside them is skipped. */
const setApart = (shown: Shown): void => {
  const { prefixItems, items, propertyNames } = shown;
  if (prefixItems !== undefined) {
    delete shown.prefixItems;
    delete shown.items;
    and(shown, items === undefined ? { prefixItems } : { prefixItems, items });
  }
  if (propertyNames !== undefined) {
    delete shown.propertyNames;
    and(shown, { propertyNames });
  }
};

/**
 * The same schema in the words that ajv gets right. Each rule below answers a wrong answer of version 8.20:
 * the tests beside this file show the plain spelling that goes wrong.
 */
export const toAjv = (node: PlainNode): AjvNode => {
  if (typeof node === "boolean") return node;
  const shown: Shown = {};
  for (const [keyword, value] of Object.entries(node)) shown[keyword] = convert(keyword, value);
  keepUnsafeKey(shown);
  setApart(shown);
  // Without an upper bound the result of the list before stands for that of an empty one.
  if (shown.contains !== undefined) shown.maxContains ??= Number.MAX_SAFE_INTEGER;
  // These are ours, and read the plain schema. In a list nobody takes it for a schema on the way.
  for (const keyword of ["unevaluatedItems", "unevaluatedProperties"] as const) {
    if (node[keyword] !== undefined) shown[keyword] = [node satisfies PlainKeywords];
  }
  return shown;
};
