import type { JsonSchema } from "../words/json.ts";
import { toPlainSchema } from "./plain/to-plain-schema.ts";

/** What a schema may refer to beside itself, by address. Nothing is ever fetched. */
export type Documents = Readonly<Record<string, JsonSchema | boolean>>;

const inspected = new WeakSet<object>();

/**
 * Throws a `ToolDefinitionError` with a JSON pointer into the schema when it is malformed, too complex, or says
 * something that cannot be judged faithfully. Bounded work, and nothing is compiled.
 */
export const inspectSchema = (schema: JsonSchema | boolean, documents?: Documents): void => {
  const isKnown = typeof schema === "object" && documents === undefined && inspected.has(schema);
  if (isKnown && Object.isFrozen(schema)) return;
  toPlainSchema(schema, documents);
  if (typeof schema === "object" && documents === undefined) inspected.add(schema);
};
