import type { JsonSchema } from "../../words/json.ts";
import type { NoteLoss } from "../export.ts";
import { exporter } from "../exporter.ts";
import { frozen } from "../frozen.ts";
import { toDraft2020 } from "../schema/draft-2020.ts";
import { isPlain, needs, takenName } from "../schema/needs.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties } from "../schema/plain-properties.ts";
import { inTurn, rewriteSchema } from "../schema/rewrite-schema.ts";

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

const rewrites = needs.draft | needs.booleans;
const refused = ["allOf", "anyOf", "oneOf"];

/**
 * A property whose name the provider refuses would fail the request of every tool, so it is left out; a tool
 * that cannot be called without one is left out whole.
 */
const withTakenNames = (schema: JsonSchema, note: NoteLoss): JsonSchema | undefined => {
  const properties = schema.properties as JsonSchema;
  const names = Object.keys(properties);
  const bad = names.filter((name) => !takenName.test(name));
  if (bad.length === 0) return schema;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const needed = bad.filter((name) => required.includes(name));
  for (const name of needed) {
    note("/input/properties", name, `is required and must match ${takenName.source}: the tool is left out`);
  }
  if (needed.length > 0) return undefined;
  for (const name of bad)
    note("/input/properties", name, `is left out: a name must match ${takenName.source}`);
  const kept = names.filter((name) => !bad.includes(name)).map((name) => [name, properties[name]]);
  return { ...schema, properties: Object.fromEntries(kept) };
};

/**
 * Strict tools are not asked for: the provider compiles all of a request's strict tools into one grammar and
 * refuses the request when that grows too large, which no single tool can know.
 */
export const toAnthropic = exporter<AnthropicTool>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is not asked for; arguments are judged when a call comes in");
  if (spec.output !== undefined) note("/output", "output", "has no field in this format");
  const schema = isPlain(spec.input, rewrites)
    ? spec.input
    : rewriteSchema(spec.input, "/input", inTurn(toDraft2020(note), plainProperties));
  const root = objectRoot(schema, refused, note);
  const isTaken = root === spec.input && isPlain(spec.input, needs.names);
  const input_schema = isTaken ? root : frozen(withTakenNames(root, note));
  return input_schema && Object.freeze({ name: wireName, description: spec.description, input_schema });
});
