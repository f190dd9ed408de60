import { isObject, type JsonObject } from "../../base/json/json-value.ts";

export interface ArgumentSchema {
  readonly root: JsonObject;
  readonly node: unknown;
  /** Applies to every value, not only to one branch of a choice. */
  readonly isCertain: boolean;
}

const noSchemas: readonly ArgumentSchema[] = [];

/** Follows local references and combinations. */
export const memberSchemas = (schema: ArgumentSchema, name: string): readonly ArgumentSchema[] => {
  const { root, node, isCertain } = schema;
  if (!isObject(node)) return noSchemas;
  if (isCombined(node)) return combinedMembers(schema).byName.get(name) ?? noSchemas;
  const { properties } = node;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return noSchemas;
  return [{ root, node: properties[name], isCertain }];
};

export const memberNames = (schema: ArgumentSchema): readonly string[] => {
  const { node } = schema;
  if (!isObject(node)) return [];
  if (isCombined(node)) return [...combinedMembers(schema).byName.keys()];
  return isObject(node.properties) ? Object.keys(node.properties) : [];
};

/** A schema without properties is open. */
export const isOpenObject = (schema: ArgumentSchema): boolean => {
  const { node } = schema;
  if (!isObject(node)) return node !== false;
  if (isCombined(node)) return combinedMembers(schema).isOpen;
  return acceptsOtherNames(node) || !isObject(node.properties) || Object.keys(node.properties).length === 0;
};

const combinations = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];

const isCombined = (node: JsonObject): boolean => combinations.some((keyword) => keyword in node);

const acceptsOtherNames = (node: JsonObject): boolean => {
  const { patternProperties, additionalProperties: more, unevaluatedProperties: unevaluated } = node;
  return (
    patternProperties !== undefined ||
    isObject(more) ||
    more === true ||
    isObject(unevaluated) ||
    unevaluated === true
  );
};

interface CombinedMembers {
  readonly byName: ReadonlyMap<string, readonly ArgumentSchema[]>;
  readonly isOpen: boolean;
}

const combinedMembersCache = new WeakMap<object, CombinedMembers>();

const combinedMembers = (schema: ArgumentSchema): CombinedMembers => {
  const { node, isCertain } = schema;
  const before = isCertain ? combinedMembersCache.get(node as JsonObject) : undefined;
  if (before !== undefined) return before;
  const byName = new Map<string, ArgumentSchema[]>();
  const isOpen = collectMembers(schema, byName) || byName.size === 0;
  const members = { byName, isOpen };
  if (isCertain) combinedMembersCache.set(node as JsonObject, members);
  return members;
};

/** Empty if the items are unknown. */
export const itemSchemas = (schema: ArgumentSchema): readonly ArgumentSchema[] => {
  const found: ArgumentSchema[] = [];
  for (const { root, node } of applicableSchemas(schema, 0)) {
    if (!isObject(node)) continue;
    const { items, prefixItems } = node;
    const listed = [...(Array.isArray(prefixItems) ? prefixItems : []), ...(isObject(items) ? [items] : [])];
    found.push(
      ...listed.map((each): ArgumentSchema => ({ root, node: each, isCertain: listed.length === 1 })),
    );
  }
  return found;
};

const maxDepth = 16;

/** Returns whether undeclared names are accepted. */
const collectMembers = (schema: ArgumentSchema, byName: Map<string, ArgumentSchema[]>): boolean => {
  let isOpen = false;
  for (const { root, node, isCertain } of applicableSchemas(schema, 0)) {
    if (!isObject(node)) {
      isOpen ||= node !== false;
      continue;
    }
    isOpen ||= acceptsOtherNames(node);
    if (!isObject(node.properties)) continue;
    for (const [name, each] of Object.entries(node.properties)) {
      const schemas = byName.get(name) ?? [];
      schemas.push({ root, node: each, isCertain });
      byName.set(name, schemas);
    }
  }
  return isOpen;
};

const choices = ["anyOf", "oneOf"] as const;
const branches = ["if", "then", "else"] as const;

/** All subschemas for the same value. Unreadable ones count as `true`. */
const applicableSchemas = (schema: ArgumentSchema, depth: number): readonly ArgumentSchema[] => {
  const { root, node, isCertain } = schema;
  if (!isObject(node) || depth > maxDepth) return [{ ...schema, node: depth > maxDepth ? true : node }];
  const found: ArgumentSchema[] = [schema];
  const add = (each: unknown, certain: boolean): void => {
    found.push(...applicableSchemas({ root, node: each, isCertain: isCertain && certain }, depth + 1));
  };
  if (node.$ref !== undefined) add(resolveReference(root, node.$ref), true);
  if (node.$dynamicRef !== undefined) add(true, false);
  if (Array.isArray(node.allOf)) for (const each of node.allOf) add(each, true);
  for (const keyword of choices) {
    const listed = node[keyword];
    if (!Array.isArray(listed)) continue;
    for (const each of listed)
      if (isPossiblyObject(each)) add(isEmpty(each) ? true : each, listed.length === 1);
  }
  for (const keyword of branches) if (isObject(node[keyword])) add(node[keyword], false);
  if (isObject(node.dependentSchemas))
    for (const each of Object.values(node.dependentSchemas)) add(each, false);
  return found;
};

const isEmpty = (node: unknown): boolean => isObject(node) && Object.keys(node).length === 0;

const isPossiblyObject = (node: unknown): boolean =>
  !isObject(node) ||
  node.type === undefined ||
  [node.type].flat().some((type) => type === "object" || type === "array");

/** References that are not local count as `true`. */
const resolveReference = (root: JsonObject, reference: unknown): unknown => {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return true;
  let node: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    node = isObject(node) ? node[name] : Array.isArray(node) ? node[Number(name)] : undefined;
  }
  return node === undefined ? true : node;
};

/** With the definitions that it may reference. */
export const toStandaloneSchema = ({ root, node }: ArgumentSchema): JsonObject => {
  const { $schema, $defs, definitions } = root;
  if (node === root || ($schema ?? $defs ?? definitions) === undefined) return isObject(node) ? node : {};
  return {
    ...($schema === undefined ? {} : { $schema }),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    allOf: [node],
  };
};
