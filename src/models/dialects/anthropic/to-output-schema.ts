import type { JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import { frozen } from "../frozen.ts";
import { strictSchema } from "../openai/strict-schema.ts";
import { withHints } from "../schema/hints.ts";
import { rewriteSchema } from "../schema/rewrite-schema.ts";

/** What the provider's grammar has no means for. It is told in words, and judged when the answer comes. */
const refused = new Set([
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
const mostUnions = 16;

const withoutBounds = (schema: JsonSchema): JsonSchema => {
  const lost = Object.keys(schema).filter((keyword) => refused.has(keyword));
  if (lost.length === 0) return schema;
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !refused.has(keyword)));
  return withHints(kept, schema, lost);
};

const lower = (input: JsonSchema): JsonSchema | undefined => {
  const { schema } = strictSchema(input);
  if (schema === undefined) return undefined;
  let unions = 0;
  let isRecursive = false;
  const lowered = rewriteSchema(schema, "", (part) => {
    if (Array.isArray(part.type) || part.anyOf !== undefined) unions += 1;
    if (part.$ref !== undefined) isRecursive = true;
    return withoutBounds(part);
  });
  return isRecursive || unions > mostUnions ? undefined : frozen(lowered);
};

const known = new WeakMap<JsonSchema, { readonly schema: JsonSchema | undefined }>();

/** What an answer must be, in the part of JSON Schema that the provider holds a model to; nothing where that cannot say it. */
export const toOutputSchema = ({ input }: ToolSpec): JsonSchema | undefined => {
  const before = known.get(input);
  if (before !== undefined) return before.schema;
  const schema = lower(input);
  known.set(input, { schema });
  return schema;
};
