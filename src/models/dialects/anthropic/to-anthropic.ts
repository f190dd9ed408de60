import type { JsonSchema } from "../../../types/json.ts";
import { exporter, type ReportExportLoss, toFrozen } from "../exporter.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties, rewriteSchema, sequence, toDraft2020 } from "../schema/rewrite-schema.ts";
import { acceptedName, hasNoNeeds, schemaNeeds } from "../schema/schema-needs.ts";

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

const rewriteNeeds = schemaNeeds.draft | schemaNeeds.booleans;
const sharedNeeds = rewriteNeeds | schemaNeeds.root | schemaNeeds.names;
const refusedAtRoot = ["allOf", "anyOf", "oneOf"];

/** An invalid property name would fail the whole request. */
const withAcceptedNames = (schema: JsonSchema, reportLoss: ReportExportLoss): JsonSchema | undefined => {
  const properties = schema.properties as JsonSchema;
  const names = Object.keys(properties);
  const bad = names.filter((name) => !acceptedName.test(name));
  if (bad.length === 0) return schema;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const needed = bad.filter((name) => required.includes(name));
  for (const name of needed) {
    reportLoss(
      "/input/properties",
      name,
      `is required and must match ${acceptedName.source}: the tool is left out`,
    );
  }
  if (needed.length > 0) return undefined;
  for (const name of bad)
    reportLoss("/input/properties", name, `is left out: a name must match ${acceptedName.source}`);
  const kept = names.filter((name) => !bad.includes(name)).map((name) => [name, properties[name]]);
  return { ...schema, properties: Object.fromEntries(kept) };
};

const rewriteInput = (input: JsonSchema, reportLoss: ReportExportLoss): JsonSchema | undefined => {
  const schema = hasNoNeeds(input, rewriteNeeds)
    ? input
    : rewriteSchema(input, "/input", sequence(toDraft2020(reportLoss), plainProperties));
  return toFrozen(withAcceptedNames(objectRoot(schema, refusedAtRoot, reportLoss), reportLoss));
};

/** No strict mode: the provider compiles all strict tools into one grammar, which may become too large. */
export const toAnthropic = exporter<AnthropicTool>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is not requested; arguments are validated when a call arrives");
  if (spec.output !== undefined) note("/output", "output", "has no field in this format");
  const input_schema = hasNoNeeds(spec.input, sharedNeeds) ? spec.input : rewriteInput(spec.input, note);
  return input_schema && Object.freeze({ name: wireName, description: spec.description, input_schema });
});
