import type { JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import { toFrozen } from "../exporter.ts";
import { strictSchema } from "../openai/strict-schema.ts";
import { rewriteSchema, withHints } from "../schema/rewrite-schema.ts";

/** Not supported by the provider's grammar. */
const unsupportedKeywords = new Set([
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maximum",
  "maxItems",
  "minimum",
  "minItems",
  "multipleOf",
  "pattern",
]);

/** The provider refuses requests with more unions. */
const maxUnions = 16;

const withoutBounds = (schema: JsonSchema): JsonSchema => {
  const lost = Object.keys(schema).filter((keyword) => unsupportedKeywords.has(keyword));
  if (lost.length === 0) return schema;
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !unsupportedKeywords.has(keyword)),
  );
  return withHints(kept, schema, lost);
};

const toSupportedSchema = (input: JsonSchema): JsonSchema | undefined => {
  const { schema } = strictSchema(input);
  if (schema === undefined) return undefined;
  let unions = 0;
  let isRecursive = false;
  const lowered = rewriteSchema(schema, "", (part) => {
    if (Array.isArray(part.type) || part.anyOf !== undefined) unions += 1;
    if (part.$ref !== undefined) isRecursive = true;
    return withoutBounds(part);
  });
  return isRecursive || unions > maxUnions ? undefined : toFrozen(lowered);
};

const outputSchemaCache = new WeakMap<JsonSchema, { readonly schema: JsonSchema | undefined }>();

/** Undefined if the provider's subset of JSON Schema cannot express the output. */
export const toOutputSchema = ({ input }: ToolSpec): JsonSchema | undefined => {
  const before = outputSchemaCache.get(input);
  if (before !== undefined) return before.schema;
  const schema = toSupportedSchema(input);
  outputSchemaCache.set(input, { schema });
  return schema;
};
