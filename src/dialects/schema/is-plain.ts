import type { JsonSchema } from "../../words/json.ts";
import type { AnyTool } from "../../words/tool.ts";
import { isSettled, settle } from "../frozen.ts";

const telling = new Set(["$defs", "$ref", "$schema", "definitions", "dependencies"]);

/** Asks too much rather than too little: data that looks like a schema is judged as one. */
const needsNothing = (value: object): boolean => {
  if (!Object.isFrozen(value)) return false;
  if (Array.isArray(value)) {
    for (const item of value)
      if (typeof item === "object" && item !== null && !needsNothing(item)) return false;
    return true;
  }
  const schema = value as JsonSchema;
  const { type } = schema;
  if (type === "array" && (schema.items === undefined || Array.isArray(schema.items))) return false;
  if (type === "object" && schema.properties === undefined) return false;
  for (const keyword in schema) {
    if (telling.has(keyword)) return false;
    const below = schema[keyword];
    if (typeof below !== "object" || below === null) continue;
    if (!needsNothing(below)) return false;
    if (keyword !== "properties") continue;
    for (const name in below) if (typeof (below as JsonSchema)[name] === "boolean") return false;
  }
  return true;
};

/**
 * Whether a schema is frozen to the leaf and holds nothing that any provider wants written otherwise below the
 * root. Most are like this, and then every format shares the one schema.
 */
export const isPlain = (schema: JsonSchema): boolean => {
  if (isSettled(schema)) return true;
  if (!needsNothing(schema)) return false;
  settle(schema);
  return true;
};

/** Found out when a tool is registered, so that the first offer, for which a model waits, need not. */
export const lookAhead = (tools: Iterable<AnyTool>): void => {
  for (const { spec } of tools) isPlain(spec.input);
};
