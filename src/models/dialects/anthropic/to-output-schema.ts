import type { JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/spec.ts";
import { strictSchema } from "../openai/strict-schema.ts";
import { rewriteSchema } from "../schema/rewrite-schema.ts";
import { withHints } from "../schema/with-hints.ts";
import { toFrozen } from "../to-frozen.ts";

/** What the provider's grammar has no means for. It is told in words, and judged when the answer comes. */
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

/** The provider refuses a request with more places than this where a value may have several types. */
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

/** What an answer must be, in the part of JSON Schema that the provider holds a model to; nothing where that cannot say it. */
export const toOutputSchema = ({ input }: ToolSpec): JsonSchema | undefined => {
  const before = outputSchemaCache.get(input);
  if (before !== undefined) return before.schema;
  const schema = toSupportedSchema(input);
  outputSchemaCache.set(input, { schema });
  return schema;
};
