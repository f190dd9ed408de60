import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import { followReferences, refOf } from "../follow-references.ts";

/** Parts of one schema that are looked at: a document may compose a schema of itself, or of thousands. */
const maxParts = 200;

/** A schema with its reference followed; nothing where it leads nowhere. */
export const dereference = (root: JsonObject, schema: unknown): JsonObject | undefined => {
  const found = followReferences(root, schema, "");
  return "value" in found && isObject(found.value) ? found.value : undefined;
};

interface ComposedParts {
  /** Each once, however often it is referred to. */
  readonly parts: readonly JsonObject[];
  /** References that lead nowhere. */
  readonly broken: readonly unknown[];
  /** There are more than are looked at. */
  readonly isCut: boolean;
}

const partsCache = new WeakMap<JsonObject, WeakMap<JsonObject, ComposedParts>>();

/** The schema itself and everything it is composed of by `allOf`, references followed. */
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
  // A set goes on with what is added while it is read, so that each part is looked at once.
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

/** From 3.1 on a reference stands beside other words, before it stands alone. */
const keywordsBesideReference = (
  root: JsonObject,
  { $ref: _, ...beside }: JsonObject,
): JsonObject | undefined =>
  typeof root.openapi !== "string" || root.openapi.startsWith("3.0") || Object.keys(beside).length === 0
    ? undefined
    : beside;

/** Properties that one side does not see: `readOnly` ones are not sent, `writeOnly` ones do not come back. */
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

/** All fields that a composed form has, each with every schema that its parts have for it: they are written one by one. */
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

/** Whether a form has nothing but fields: a choice between forms cannot be flattened. */
export const isFlatForm = (root: JsonObject, schema: unknown): boolean => {
  const { parts, isCut } = composedOf(root, schema);
  return !isCut && parts.every((part) => !Array.isArray(part.oneOf) && !Array.isArray(part.anyOf));
};
