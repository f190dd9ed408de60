import { isObject } from "../../json/is-object.ts";
import { definitionIndexOf, type PlainKeywords, type PlainNode } from "../plain/plain-schema.ts";
import type { SchemaEvaluator } from "./context.ts";

/** Returns functions that undo it. */
export type DefaultsFiller = (value: unknown) => readonly (() => void)[];

type MutableObject = Record<string, unknown>;
/** Branches of a choice never fill defaults. */
const included = (node: PlainKeywords): readonly PlainNode[] => node.allOf ?? [];

const nested = (node: PlainKeywords): readonly PlainNode[] => [
  ...Object.values(node.properties ?? {}),
  ...(node.prefixItems ?? []),
  ...[node.items, node.additionalProperties].filter((each) => each !== undefined),
];

/** The nodes on a path to a default. */
const findDefaultPaths = (definitions: readonly PlainNode[]): Set<PlainNode> => {
  const parents = new Map<PlainNode, PlainNode[]>();
  const defaultPaths: PlainNode[] = [];
  const visit = (node: PlainNode): void => {
    if (typeof node === "boolean") return;
    const target = node.$ref === undefined ? [] : [definitions[definitionIndexOf(node.$ref)]!];
    const children = [...included(node), ...nested(node)];
    for (const child of [...target, ...children]) {
      if (typeof child === "boolean") continue;
      parents.set(child, [...(parents.get(child) ?? []), node]);
    }
    const fills = Object.values(node.properties ?? {}).some(
      (each) => typeof each !== "boolean" && "default" in each,
    );
    if (fills) defaultPaths.push(node);
    for (const child of children) visit(child);
  };
  for (const node of definitions) visit(node);
  const found = new Set<PlainNode>();
  for (let node = defaultPaths.pop(); node !== undefined; node = defaultPaths.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    defaultPaths.push(...(parents.get(node) ?? []));
  }
  return found;
};

/** A default that violates its own schema is ignored. */
export const fillDefaults = (evaluator: SchemaEvaluator): DefaultsFiller | undefined => {
  const { definitions } = evaluator.context.schema;
  const defaultPaths = findDefaultPaths(definitions);
  if (!defaultPaths.has(definitions[0]!)) return undefined;
  const validDefaults = new Map<PlainNode, boolean>();

  const isValidDefault = (node: PlainKeywords): boolean => {
    if (!("default" in node)) return false;
    const known = validDefaults.get(node) ?? evaluator.holds(node, node.default);
    validDefaults.set(node, known);
    return known;
  };

  const fillMembers = (node: PlainKeywords, value: MutableObject, undo: (() => void)[]): void => {
    for (const [key, schema] of Object.entries(node.properties ?? {})) {
      const has = Object.hasOwn(value, key);
      if (!has && typeof schema !== "boolean" && isValidDefault(schema) && Object.isExtensible(value)) {
        value[key] = typeof schema.default === "object" ? structuredClone(schema.default) : schema.default;
        undo.push(() => delete value[key]);
      }
      if (Object.hasOwn(value, key)) visit(schema, value[key], undo);
    }
    const { additionalProperties, properties = {} } = node;
    if (additionalProperties === undefined || !defaultPaths.has(additionalProperties)) return;
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(properties, key)) visit(additionalProperties, value[key], undo);
    }
  };

  const visit = (node: PlainNode, value: unknown, undo: (() => void)[]): void => {
    if (typeof node === "boolean" || !defaultPaths.has(node)) return;
    if (node.$ref !== undefined) visit(evaluator.context.follow(node.$ref), value, undo);
    for (const each of included(node)) visit(each, value, undo);
    if (isObject(value)) fillMembers(node, value, undo);
    if (!Array.isArray(value)) return;
    const { prefixItems = [], items = true } = node;
    value.forEach((item, index) => {
      visit(prefixItems[index] ?? items, item, undo);
    });
  };

  return (value) => {
    const undo: (() => void)[] = [];
    visit(definitions[0]!, value, undo);
    return undo;
  };
};
