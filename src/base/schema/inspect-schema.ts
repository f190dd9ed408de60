import type { JsonSchema } from "../../types/json.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** What a schema may refer to beside itself, by address. Nothing is ever fetched. */
export type SchemaDocuments = Readonly<Record<string, JsonSchema | boolean>>;

const inspectedSchemas = new WeakSet<object>();

/**
 * Throws a `ToolDefinitionError` with a JSON pointer into the schema when it is malformed, too complex, or says
 * something that cannot be judged faithfully. Bounded work, and nothing is compiled.
 */
export const inspectSchema = (schema: JsonSchema | boolean, documents?: SchemaDocuments): void => {
  const isKnown = typeof schema === "object" && documents === undefined && inspectedSchemas.has(schema);
  if (isKnown && Object.isFrozen(schema)) return;
  toPlainSchema(schema, documents);
  if (typeof schema === "object" && documents === undefined) inspectedSchemas.add(schema);
};
