import type { JsonSchema } from "../../../types/json.ts";
import type { Annotations } from "../../../types/tool.ts";
import { exporter, freezeInPlace, type ReportExportLoss, toFrozen } from "../exporter.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties, rewriteSchema } from "../schema/rewrite-schema.ts";
import { hasNoNeeds, schemaNeeds } from "../schema/schema-needs.ts";

export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: McpHints;
  readonly execution?: Readonly<Record<string, unknown>>;
  /** `meta` of a local tool, or what the server sent. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface McpHints {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

const hintsOf = (annotations: Annotations): McpHints | undefined => {
  const { readOnly, destructive, idempotent, openWorld } = annotations;
  if ((readOnly ?? destructive ?? idempotent ?? openWorld) === undefined) return undefined;
  return {
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
};

const sharedNeeds = schemaNeeds.booleans | schemaNeeds.root;

const schemaOf = (source: JsonSchema, pointer: string): JsonSchema =>
  hasNoNeeds(source, schemaNeeds.booleans) ? source : rewriteSchema(source, pointer, plainProperties);

const inputOf = (input: JsonSchema, reportLoss: ReportExportLoss): JsonSchema =>
  hasNoNeeds(input, sharedNeeds) ? input : toFrozen(objectRoot(schemaOf(input, "/input"), [], reportLoss));

/** MCP accepts all of JSON Schema. */
export const toMcp = exporter<McpTool>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is decided between a client and its model");
  const { annotations, description, output, meta } = spec;
  const { title } = annotations;
  const hints = hintsOf(annotations);
  const isObject = output?.type === "object";
  if (output !== undefined && !isObject) {
    note(
      "/output",
      "output",
      "is left out: clients before 2026-07-28 reject the whole tool list if one is not an object",
    );
  }
  const inputSchema = inputOf(spec.input, note);
  if (title === undefined && hints === undefined && output === undefined && meta === undefined) {
    return Object.freeze({ name: wireName, description, inputSchema });
  }
  return freezeInPlace({
    name: wireName,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(isObject ? { outputSchema: schemaOf(output, "/output") } : {}),
    ...(hints === undefined ? {} : { annotations: hints }),
    ...(meta === undefined ? {} : { _meta: meta }),
  });
});
