import type { JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import {
  exporter,
  freezeInPlace,
  markFrozen,
  type OfferedTool,
  type ReportExportLoss,
  type ToolExport,
  toFrozen,
} from "../exporter.ts";
import { inlineReferences } from "../schema/inline-references.ts";
import { objectRoot } from "../schema/object-root.ts";
import {
  plainProperties,
  type RewriteStep,
  rewriteSchema,
  sequence,
  toDraft2020,
} from "../schema/rewrite-schema.ts";
import { hasNoNeeds, schemaNeeds } from "../schema/schema-needs.ts";

export interface GeminiDeclaration {
  readonly name: string;
  readonly description: string;
  /** The older `parameters` field supports only a subset of OpenAPI. */
  readonly parametersJsonSchema: JsonSchema;
  readonly responseJsonSchema?: JsonSchema;
}

export interface GeminiTool {
  readonly functionDeclarations: readonly GeminiDeclaration[];
}

const withoutDialect =
  (reportLoss: ReportExportLoss): RewriteStep =>
  (schema, pointer) => {
    if (schema.$schema === undefined) return schema;
    reportLoss(pointer, "$schema", "is not a keyword that this provider supports");
    const { $schema, ...rest } = schema;
    return rest;
  };

const rewriteNeeds =
  schemaNeeds.references | schemaNeeds.draft | schemaNeeds.booleans | schemaNeeds.innerDialect;
const sharedNeeds = rewriteNeeds | schemaNeeds.dialect | schemaNeeds.root;

/** The rest is already frozen. */
const withoutRootDialect = (
  source: JsonSchema,
  pointer: string,
  reportLoss: ReportExportLoss,
): JsonSchema => {
  const rest = Object.freeze(withoutDialect(reportLoss)(source, pointer));
  markFrozen(rest);
  return rest;
};

/** The provider refuses references next to other keywords and outside `$defs`. */
const schemaOf = (source: JsonSchema, pointer: string, reportLoss: ReportExportLoss): JsonSchema => {
  if (hasNoNeeds(source, rewriteNeeds)) return withoutRootDialect(source, pointer, reportLoss);
  const inlined = inlineReferences(source, pointer, reportLoss);
  return rewriteSchema(
    inlined,
    pointer,
    sequence(toDraft2020(reportLoss), plainProperties, withoutDialect(reportLoss)),
  );
};

const inputOf = (input: JsonSchema, reportLoss: ReportExportLoss): JsonSchema =>
  hasNoNeeds(input, sharedNeeds)
    ? input
    : toFrozen(objectRoot(schemaOf(input, "/input", reportLoss), [], reportLoss));

const declarations = exporter<GeminiDeclaration>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is a setting of the request, not of a tool");
  const declaration = {
    name: wireName,
    description: spec.description,
    parametersJsonSchema: inputOf(spec.input, note),
  };
  if (spec.output === undefined) return Object.freeze(declaration);
  return freezeInPlace({ ...declaration, responseJsonSchema: schemaOf(spec.output, "/output", note) });
});

export const toResponseSchema = ({ input }: ToolSpec): JsonSchema =>
  toFrozen(
    objectRoot(
      schemaOf(input, "/input", () => {}),
      [],
      () => {},
    ),
  );

const wrappedExports = new WeakMap<ToolExport<GeminiDeclaration>, ToolExport<GeminiTool>>();

export const toGemini = (tools: readonly OfferedTool[]): ToolExport<GeminiTool> => {
  const flat = declarations(tools);
  const before = wrappedExports.get(flat);
  if (before !== undefined) return before;
  const list = flat.tools.length === 0 ? [] : [Object.freeze({ functionDeclarations: flat.tools })];
  const whole = Object.freeze({
    tools: Object.freeze(list),
    get report() {
      return flat.report;
    },
  });
  wrappedExports.set(flat, whole);
  return whole;
};
