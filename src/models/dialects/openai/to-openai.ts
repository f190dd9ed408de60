import { headOf } from "../../../base/text/cut-text.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import { exporter, type OfferedTool, type ReportExportLoss, type ToolExport, toFrozen } from "../exporter.ts";
import { objectRoot } from "../schema/object-root.ts";
import {
  plainProperties,
  type RewriteStep,
  rewriteSchema,
  sequence,
  toDraft2020,
} from "../schema/rewrite-schema.ts";
import { hasNoNeeds, schemaNeeds } from "../schema/schema-needs.ts";
import { strictSchema } from "./strict-schema.ts";

export interface OpenAITool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    readonly strict?: true;
  };
}

export interface OpenAIDialectOptions {
  /** OpenAI has no limit; some hosts of its models have 1,024. */
  readonly descriptionLimit?: number;
}

/** Never splits a surrogate pair. */
export const cutDescription = (description: string, limit: number, reportLoss: ReportExportLoss): string => {
  if (description.length <= limit) return description;
  reportLoss("/description", "description", `is cut from ${description.length} to ${limit} characters`);
  return `${headOf(description, limit - 1)}…`;
};

/** Each limit has its own cache. */
export const memoizeByLimit = <Exporter>(
  make: (limit: number) => Exporter,
): ((options?: OpenAIDialectOptions) => Exporter) => {
  const made = new Map<number, Exporter>();
  return (options) => {
    const limit = options?.descriptionLimit ?? Number.POSITIVE_INFINITY;
    const before = made.get(limit);
    if (before !== undefined) return before;
    const fresh = make(limit);
    made.set(limit, fresh);
    return fresh;
  };
};

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

const exporterFor = memoizeByLimit((limit) =>
  exporter<OpenAITool>(({ wireName, spec }, note) => {
    const { parameters, strict } = parametersOf(spec, note);
    const description = cutDescription(spec.description, limit, note);
    const named = { name: wireName, description, parameters: toFrozen(parameters) };
    const inner = Object.freeze(strict ? { ...named, strict } : named);
    return Object.freeze({ type: "function", function: inner });
  }),
);

export const toOpenAI = (
  tools: readonly OfferedTool[],
  options?: OpenAIDialectOptions,
): ToolExport<OpenAITool> => exporterFor(options)(tools);
