import { type SchemaEvaluator, startEvaluationBudget } from "../evaluate/context.ts";
import {
  definitionIndexOf,
  type PlainKeywords,
  type PlainNode,
  schemaLimits,
} from "../plain/plain-schema.ts";

/** With only these keywords, a filled member cannot invalidate a value. */
const harmlessKeywords: ReadonlySet<string> = new Set([
  "additionalProperties",
  "default",
  "description",
  "format",
  "items",
  "maxItems",
  "minItems",
  "minProperties",
  "prefixItems",
  "properties",
  "required",
  "secret",
  "type",
]);
const annotationKeywords: ReadonlySet<string> = new Set([
  "$ref",
  "default",
  "description",
  "format",
  "secret",
]);

/** Members that always exist after defaults are filled. */
export type DefaultedMembers = ReadonlyMap<PlainNode, readonly string[]>;

export const noDefaultedMembers: DefaultedMembers = new Map();

/**
 * The validator removes defaults that make the value invalid, so they count only if every node on the way to
 * them has harmless keywords.
 */
export const certainlyDefaultedMembers = ({ context, holds }: SchemaEvaluator): DefaultedMembers => {
  const { definitions } = context.schema;
  const filled = new Map<PlainKeywords, readonly string[]>();
  const children = new Map<PlainKeywords, readonly PlainKeywords[]>();

  const visit = (node: PlainNode): void => {
    if (typeof node === "boolean" || children.has(node)) return;
    const next = defaultPaths(definitions, node);
    children.set(node, next);
    const keys = Object.entries(node.properties ?? {}).flatMap(([key, each]) =>
      typeof each !== "boolean" && "default" in each && holds(each, each.default) ? [key] : [],
    );
    if (keys.length > 0) filled.set(node, keys);
    for (const each of next) visit(each);
  };

  startEvaluationBudget(schemaLimits.explanations);
  visit(definitions[0]!);
  const onTheWay = new Set<PlainKeywords>(filled.keys());
  for (let before = -1; before < onTheWay.size; ) {
    before = onTheWay.size;
    for (const [node, next] of children) if (next.some((each) => onTheWay.has(each))) onTheWay.add(node);
  }
  return [...onTheWay].every(isHarmless) ? filled : noDefaultedMembers;
};

const isHarmless = (node: PlainKeywords): boolean => {
  const allowed = node.$ref === undefined ? harmlessKeywords : annotationKeywords;
  return Object.keys(node).every((keyword) => allowed.has(keyword));
};

const defaultPaths = (definitions: readonly PlainNode[], node: PlainKeywords): readonly PlainKeywords[] =>
  [
    node.$ref === undefined ? undefined : definitions[definitionIndexOf(node.$ref)],
    ...(node.allOf ?? []),
    ...Object.values(node.properties ?? {}),
    ...(node.prefixItems ?? []),
    node.items,
    node.additionalProperties,
  ].filter((each): each is PlainKeywords => typeof each === "object");
