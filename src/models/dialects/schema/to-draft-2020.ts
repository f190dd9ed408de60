import type { JsonSchema } from "../../words/json.ts";
import type { NoteLoss } from "../export.ts";
import type { RewriteStep } from "./rewrite-schema.ts";

const tuple = (schema: JsonSchema, pointer: string, note: NoteLoss): JsonSchema => {
  const { items, additionalItems, ...rest } = schema;
  note(pointer, "items", "is written as `prefixItems`, as draft 2020-12 has it");
  if (additionalItems === undefined) return { ...rest, prefixItems: items };
  note(pointer, "additionalItems", "is written as `items`, as draft 2020-12 has it");
  return { ...rest, prefixItems: items, items: additionalItems };
};

const dependent = (schema: JsonSchema, pointer: string, note: NoteLoss): JsonSchema => {
  const { dependencies, ...rest } = schema;
  const entries = Object.entries(dependencies as JsonSchema);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  note(
    pointer,
    "dependencies",
    "is written as `dependentRequired` and `dependentSchemas`, as draft 2020-12 has it",
  );
  return {
    ...rest,
    ...(names.length === 0 ? {} : { dependentRequired: Object.fromEntries(names) }),
    ...(schemas.length === 0 ? {} : { dependentSchemas: Object.fromEntries(schemas) }),
  };
};

/** Providers judge schemas by draft 2020-12 and refuse a request over a draft-07 tuple, whatever `$schema` says. */
export const toDraft2020 = (note: NoteLoss): RewriteStep => {
  let changed = false;
  return (schema, pointer) => {
    let next = schema;
    if (Array.isArray(schema.items)) next = tuple(next, pointer, note);
    if (typeof schema.dependencies === "object") next = dependent(next, pointer, note);
    changed ||= next !== schema;
    if (!changed || typeof next.$schema !== "string" || next.$schema.includes("2020-12")) return next;
    note(pointer, "$schema", "names draft 2020-12, which the schema is now written in");
    return { ...next, $schema: "https://json-schema.org/draft/2020-12/schema" };
  };
};
