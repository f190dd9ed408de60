import type { JsonSchema } from "../../../types/json.ts";
import type { ReportExportLoss } from "../tool-export.ts";
import type { RewriteStep } from "./rewrite-schema.ts";

const rewriteTuple = (schema: JsonSchema, pointer: string, reportLoss: ReportExportLoss): JsonSchema => {
  const { items, additionalItems, ...rest } = schema;
  reportLoss(pointer, "items", "is written as `prefixItems`, as draft 2020-12 has it");
  if (additionalItems === undefined) return { ...rest, prefixItems: items };
  reportLoss(pointer, "additionalItems", "is written as `items`, as draft 2020-12 has it");
  return { ...rest, prefixItems: items, items: additionalItems };
};

const rewriteDependencies = (
  schema: JsonSchema,
  pointer: string,
  reportLoss: ReportExportLoss,
): JsonSchema => {
  const { dependencies, ...rest } = schema;
  const entries = Object.entries(dependencies as JsonSchema);
  const names = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  reportLoss(
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

/** Providers refuse draft-07 tuples, whatever `$schema` says. */
export const toDraft2020 = (reportLoss: ReportExportLoss): RewriteStep => {
  let changed = false;
  return (schema, pointer) => {
    let next = schema;
    if (Array.isArray(schema.items)) next = rewriteTuple(next, pointer, reportLoss);
    if (typeof schema.dependencies === "object") next = rewriteDependencies(next, pointer, reportLoss);
    changed ||= next !== schema;
    if (!changed || typeof next.$schema !== "string" || next.$schema.includes("2020-12")) return next;
    reportLoss(pointer, "$schema", "is set to draft 2020-12, to which the schema was converted");
    return { ...next, $schema: "https://json-schema.org/draft/2020-12/schema" };
  };
};
