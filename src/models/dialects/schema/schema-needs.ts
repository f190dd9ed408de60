import type { JsonSchema } from "../../../types/json.ts";
import { isKnownFrozen, markFrozen } from "../exporter.ts";
import { isSchema } from "./rewrite-schema.ts";

/** Rewrites that some format requires, as bit flags. */
export const schemaNeeds = {
  references: 1,
  dialect: 2,
  /** Tuples and dependencies of drafts before 2020-12. */
  draft: 4,
  booleans: 8,
  incomplete: 16,
  names: 32,
  /** Not a plain object, or with a keyword that some provider refuses at the root. */
  root: 64,
  innerDialect: 128,
} as const;

export const acceptedName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Must not be cached. */
const notFrozen = -1;

const needsCache = new WeakMap<JsonSchema, number>();

const needByKeyword = new Map<string, number>([
  ["$defs", schemaNeeds.references],
  ["$ref", schemaNeeds.references],
  ["definitions", schemaNeeds.references],
  ["$schema", schemaNeeds.innerDialect],
  ["dependencies", schemaNeeds.draft],
]);

const needsOfList = (list: readonly unknown[]): number => {
  let found = 0;
  for (const item of list) if (typeof item === "object" && item !== null) found |= needsBelow(item);
  return found;
};

/** Overestimates: data that looks like a schema counts as one. */
const needsBelow = (value: object): number => {
  if (!Object.isFrozen(value)) return notFrozen;
  if (Array.isArray(value)) return needsOfList(value);
  const schema = value as JsonSchema;
  const { type } = schema;
  let found = 0;
  if (type === "array" && schema.items === undefined) found |= schemaNeeds.incomplete;
  if (type === "object" && schema.properties === undefined) found |= schemaNeeds.incomplete;
  for (const keyword in schema) {
    found |= needByKeyword.get(keyword) ?? 0;
    const below = schema[keyword];
    if (typeof below !== "object" || below === null) continue;
    if (keyword === "items" && Array.isArray(below)) found |= schemaNeeds.draft;
    found |= needsBelow(below);
    if (keyword !== "properties") continue;
    for (const name in below) {
      if (typeof (below as JsonSchema)[name] === "boolean") found |= schemaNeeds.booleans;
      if (!acceptedName.test(name)) found |= schemaNeeds.names;
    }
  }
  return found;
};

const refusedAtRoot = ["$ref", "allOf", "anyOf", "oneOf", "enum", "const", "not"];

const needsOfRoot = (schema: JsonSchema): number => {
  if (schema.type !== "object" || !isSchema(schema.properties)) return schemaNeeds.root;
  return refusedAtRoot.some((keyword) => schema[keyword] !== undefined) ? schemaNeeds.root : 0;
};

const computeNeeds = (schema: JsonSchema): number => {
  if (schema.$schema === undefined) return needsBelow(schema) | needsOfRoot(schema);
  if (!Object.isFrozen(schema)) return notFrozen;
  const { $schema, ...rest } = schema;
  return needsBelow(Object.freeze(rest)) | needsOfRoot(schema) | schemaNeeds.dialect;
};

const needsOf = (schema: JsonSchema): number => {
  const before = needsCache.get(schema);
  if (before !== undefined) return before;
  const found = computeNeeds(schema);
  if (found === notFrozen) return notFrozen;
  needsCache.set(schema, found);
  if (!isKnownFrozen(schema)) markFrozen(schema);
  return found;
};

/** Deeply frozen schemas without these needs are shared by all formats. */
export const hasNoNeeds = (schema: JsonSchema, rewrites: number): boolean =>
  (needsOf(schema) & rewrites) === 0;

/** Moves the work from the first export to registration. */
export const precomputeNeeds = (schema: JsonSchema): void => {
  needsOf(schema);
};
