import type { JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/spec.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties } from "../schema/plain-properties.ts";
import { type RewriteStep, rewriteSchema, sequence } from "../schema/rewrite-schema.ts";
import { hasNoNeeds, schemaNeeds } from "../schema/schema-needs.ts";
import { toDraft2020 } from "../schema/to-draft-2020.ts";
import type { ReportExportLoss } from "../tool-export.ts";
import { strictSchema } from "./strict-schema.ts";

const refusedAtRoot = ["allOf", "anyOf", "oneOf", "enum", "const", "not"];

/** The provider requires `items` and `properties`. */
const addMissingKeywords: RewriteStep = (schema) => {
  if (schema.type === "array" && schema.items === undefined && schema.prefixItems === undefined) {
    return { ...schema, items: {} };
  }
  if (schema.type === "object" && schema.properties === undefined) return { ...schema, properties: {} };
  return schema;
};

const rewriteNeeds = schemaNeeds.draft | schemaNeeds.booleans | schemaNeeds.incomplete;
const sharedNeeds = rewriteNeeds | schemaNeeds.root;

interface OpenAIParameters {
  readonly parameters: JsonSchema;
  readonly strict: boolean;
}

export const parametersOf = (spec: ToolSpec, reportLoss: ReportExportLoss): OpenAIParameters => {
  if (spec.output !== undefined) reportLoss("/output", "output", "has no field in this format");
  if (spec.strict) {
    const { schema, losses } = strictSchema(spec.input);
    for (const [pointer, keyword, why] of losses) reportLoss(pointer, keyword, why);
    if (schema !== undefined) return { parameters: schema, strict: true };
  }
  if (hasNoNeeds(spec.input, sharedNeeds)) return { parameters: spec.input, strict: false };
  const schema = hasNoNeeds(spec.input, rewriteNeeds)
    ? spec.input
    : rewriteSchema(
        spec.input,
        "/input",
        sequence(toDraft2020(reportLoss), plainProperties, addMissingKeywords),
      );
  return { parameters: objectRoot(schema, refusedAtRoot, reportLoss), strict: false };
};
