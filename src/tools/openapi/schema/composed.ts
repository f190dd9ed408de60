import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { followReferences, refOf } from "../read-document.ts";

/** Schemas may be recursive or huge. */
const maxParts = 200;

export const dereference = (root: JsonObject, schema: unknown): JsonObject | undefined => {
  const found = followReferences(root, schema, "");
  return "value" in found && isObject(found.value) ? found.value : undefined;
};

interface ComposedParts {
  readonly parts: readonly JsonObject[];
  readonly broken: readonly unknown[];
  readonly isCut: boolean;
}

const partsCache = new WeakMap<JsonObject, WeakMap<JsonObject, ComposedParts>>();

/** Includes everything that `allOf` adds. */
export const composedOf = (root: JsonObject, schema: unknown): ComposedParts => {
  if (!isObject(schema)) return { parts: [], broken: [], isCut: false };
  const ofRoot = partsCache.get(root) ?? new WeakMap<JsonObject, ComposedParts>();
  partsCache.set(root, ofRoot);
  const made = ofRoot.get(schema) ?? collect(root, schema);
  ofRoot.set(schema, made);
  return made;
};

export const partsOf = (root: JsonObject, schema: unknown): readonly JsonObject[] =>
  composedOf(root, schema).parts;

const collect = (root: JsonObject, schema: JsonObject): ComposedParts => {
  const seen = new Set<unknown>([schema]);
  const parts: JsonObject[] = [];
  const broken: unknown[] = [];
  // A Set includes entries added during iteration, each once.
  for (const part of seen) {
    if (parts.length >= maxParts) return { parts, broken, isCut: true };
    if (!isObject(part)) continue;
    const target = refOf(part) === undefined ? part : dereference(root, part);
    if (target === undefined) broken.push(part);
    else if (target !== part) seen.add(target);
    const own = refOf(part) === undefined ? part : keywordsBesideReference(root, part);
    if (own === undefined) continue;
    parts.push(own);
    const more: readonly unknown[] = Array.isArray(own.allOf) ? own.allOf : [];
    for (const each of more.slice(0, maxParts)) seen.add(each);
    if (more.length > maxParts) return { parts, broken, isCut: true };
  }
  return { parts, broken, isCut: false };
};

/** They apply from 3.1 on. */
const keywordsBesideReference = (
  root: JsonObject,
  { $ref: _, ...siblings }: JsonObject,
): JsonObject | undefined =>
  typeof root.openapi !== "string" || root.openapi.startsWith("3.0") || Object.keys(siblings).length === 0
    ? undefined
    : siblings;

/** `readOnly` ones are not sent, `writeOnly` ones not returned. */
export const hiddenProperties = (
  root: JsonObject,
  schema: unknown,
  keyword: "readOnly" | "writeOnly",
): ReadonlySet<string> => {
  if (!isObject(schema)) return new Set();
  const ofRoot = hiddenBy[keyword].get(root) ?? new WeakMap<JsonObject, readonly string[]>();
  hiddenBy[keyword].set(root, ofRoot);
  const hidden = new Set<string>();
  for (const part of partsOf(root, schema)) {
    const own = ofRoot.get(part) ?? ownHiddenProperties(root, part, keyword);
    ofRoot.set(part, own);
    for (const name of own) hidden.add(name);
  }
  return hidden;
};

const hiddenBy = {
  readOnly: new WeakMap<JsonObject, WeakMap<JsonObject, readonly string[]>>(),
  writeOnly: new WeakMap<JsonObject, WeakMap<JsonObject, readonly string[]>>(),
};

const ownHiddenProperties = (
  root: JsonObject,
  { properties }: JsonObject,
  keyword: "readOnly" | "writeOnly",
): readonly string[] =>
  Object.entries(isObject(properties) ? properties : {})
    .filter(
      ([, property]) =>
        isObject(property) && (property[keyword] === true || dereference(root, property)?.[keyword] === true),
    )
    .map(([name]) => name);

export const formFieldsOf = (
  root: JsonObject,
  schema: unknown,
): {
  readonly properties: Readonly<Record<string, readonly unknown[]>>;
  readonly required: readonly string[];
} => {
  const parts = partsOf(root, schema);
  const properties = new Map<string, unknown[]>();
  for (const { properties: own } of parts) {
    for (const [name, field] of Object.entries(isObject(own) ? own : {})) {
      if (name !== "__proto__") properties.set(name, [...(properties.get(name) ?? []), field]);
    }
  }
  const required = parts.flatMap(({ required: own }) => (Array.isArray(own) ? own : []));
  return {
    properties: Object.fromEntries(properties),
    required: [...new Set(required.filter((name) => typeof name === "string"))],
  };
};

/** Alternatives cannot be flattened. */
export const isFlatForm = (root: JsonObject, schema: unknown): boolean => {
  const { parts, isCut } = composedOf(root, schema);
  return !isCut && parts.every((part) => !Array.isArray(part.oneOf) && !Array.isArray(part.anyOf));
};
