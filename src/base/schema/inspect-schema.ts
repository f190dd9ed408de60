import type { JsonSchema } from "../../types/json.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** Schemas that can be referenced by URI. Nothing is fetched. */
export type SchemaDocuments = Readonly<Record<string, JsonSchema | boolean>>;

const inspectedSchemas = new WeakSet<object>();

/** Throws a `ToolDefinitionError` for a malformed, too complex or unsupported schema. Compiles nothing. */
export const inspectSchema = (schema: JsonSchema | boolean, documents?: SchemaDocuments): void => {
  const isKnown = typeof schema === "object" && documents === undefined && inspectedSchemas.has(schema);
  if (isKnown && Object.isFrozen(schema)) return;
  toPlainSchema(schema, documents);
  if (typeof schema === "object" && documents === undefined) inspectedSchemas.add(schema);
};
