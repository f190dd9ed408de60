import type { JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { NoteLoss } from "../export.ts";
import { toDraft2020 } from "../schema/draft-2020.ts";
import { isPlain, needs } from "../schema/needs.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties } from "../schema/plain-properties.ts";
import { inTurn, type RewriteStep, rewriteSchema } from "../schema/rewrite-schema.ts";
import { strictSchema } from "./strict-schema.ts";

const refused = ["allOf", "anyOf", "oneOf", "enum", "const", "not"];

/** The provider refuses an array without `items` and an object without `properties`; empty ones mean the same. */
const complete: RewriteStep = (schema) => {
  if (schema.type === "array" && schema.items === undefined && schema.prefixItems === undefined) {
    return { ...schema, items: {} };
  }
  if (schema.type === "object" && schema.properties === undefined) return { ...schema, properties: {} };
  return schema;
};

const rewrites = needs.draft | needs.booleans | needs.incomplete;

interface Parameters {
  readonly parameters: JsonSchema;
  readonly strict: boolean;
}

/** What both of the provider's interfaces take as parameters. */
export const parametersOf = (spec: ToolSpec, note: NoteLoss): Parameters => {
  if (spec.output !== undefined) note("/output", "output", "has no field in this format");
  if (spec.strict) {
    const { schema, losses } = strictSchema(spec.input);
    for (const [pointer, keyword, why] of losses) note(pointer, keyword, why);
    if (schema !== undefined) return { parameters: schema, strict: true };
  }
  const schema = isPlain(spec.input, rewrites)
    ? spec.input
    : rewriteSchema(spec.input, "/input", inTurn(toDraft2020(note), plainProperties, complete));
  return { parameters: objectRoot(schema, refused, note), strict: false };
};
