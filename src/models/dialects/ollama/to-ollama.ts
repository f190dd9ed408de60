import type { JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import { exporter, isKnownFrozen, type ReportExportLoss, toFrozen } from "../exporter.ts";
import { inlineReferences } from "../schema/inline-references.ts";
import { objectRoot } from "../schema/object-root.ts";
import {
  isSchema,
  plainProperties,
  rewriteSchema,
  subschemaPointer,
  withHints,
} from "../schema/rewrite-schema.ts";
import { hasNoNeeds, schemaNeeds } from "../schema/schema-needs.ts";

export interface OllamaTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
  };
}

const rewriteNeeds = schemaNeeds.references | schemaNeeds.booleans;
const refusedAtRoot = ["allOf", "anyOf", "oneOf"];
const readAtTop = new Set(["$defs", "items", "properties", "required", "type"]);
const readBelow = new Set([
  "anyOf",
  "const",
  "description",
  "enum",
  "items",
  "properties",
  "required",
  "type",
]);

const droppedNote = "is sent, but the server drops it before it reaches the model";

const noKeywords: readonly string[] = [];

const droppedKeywords = (
  schema: JsonSchema,
  read: ReadonlySet<string>,
  pointer: string,
  reportLoss: ReportExportLoss,
): readonly string[] => {
  let dropped: string[] | undefined;
  for (const keyword in schema) {
    if (read.has(keyword)) continue;
    dropped ??= [];
    dropped.push(keyword);
    reportLoss(pointer, keyword, droppedNote);
  }
  return dropped ?? noKeywords;
};

const rewriteNamed = (schemas: JsonSchema, pointer: string, reportLoss: ReportExportLoss): JsonSchema => {
  let copy: Record<string, unknown> | undefined;
  for (const name in schemas) {
    const next = rewriteProperty(schemas[name], subschemaPointer(pointer, name), reportLoss);
    if (next === schemas[name]) continue;
    copy ??= { ...schemas };
    copy[name] = next;
  }
  return copy === undefined ? schemas : Object.freeze(copy);
};

const toReadableSchema = (schema: JsonSchema, pointer: string, reportLoss: ReportExportLoss): JsonSchema => {
  let next = schema;
  if (next.const !== undefined && next.enum === undefined) next = { ...next, enum: [next.const] };
  if (next.oneOf === undefined || next.anyOf !== undefined) return next;
  reportLoss(pointer, "oneOf", "is written as `anyOf`");
  const { oneOf, ...rest } = next;
  return { ...rest, anyOf: oneOf };
};

/** The server drops other keywords of a property, so the description repeats them. */
const rewriteProperty = (schema: unknown, pointer: string, reportLoss: ReportExportLoss): unknown => {
  if (!isSchema(schema)) return schema;
  const source = toReadableSchema(schema, pointer, reportLoss);
  const { anyOf, properties } = source;
  let next = withHints(source, source, droppedKeywords(source, readBelow, pointer, reportLoss));
  if (Array.isArray(anyOf)) {
    const at = `${pointer}/${schema.anyOf === undefined ? "oneOf" : "anyOf"}`;
    next = {
      ...next,
      anyOf: anyOf.map((branch, index) => rewriteProperty(branch, `${at}/${index}`, reportLoss)),
    };
  }
  if (isSchema(properties)) {
    const read = rewriteNamed(properties, `${pointer}/properties`, reportLoss);
    if (read !== properties) next = { ...next, properties: read };
  }
  return next === schema ? schema : Object.freeze(next);
};

/** The server's grammar cannot follow references. */
export const toOllamaFormat = ({ input }: ToolSpec): JsonSchema =>
  toFrozen(
    rewriteSchema(
      inlineReferences(input, "/input", () => {}),
      "/input",
      plainProperties,
    ),
  );

const rewriteInput = (input: JsonSchema, reportLoss: ReportExportLoss): JsonSchema => {
  const inlined = inlineReferences(input, "/input", reportLoss);
  return hasNoNeeds(input, schemaNeeds.booleans)
    ? inlined
    : rewriteSchema(inlined, "/input", plainProperties);
};

interface OllamaParameters {
  readonly schema: JsonSchema;
  readonly losses: readonly (readonly [pointer: string, keyword: string, note: string])[];
}

const toParameters = (input: JsonSchema): OllamaParameters => {
  const losses: [string, string, string][] = [];
  const note: ReportExportLoss = (...loss) => losses.push(loss);
  const isShared = hasNoNeeds(input, rewriteNeeds);
  const root = objectRoot(isShared ? input : rewriteInput(input, note), refusedAtRoot, note);
  droppedKeywords(root, readAtTop, "/input", note);
  const properties = rewriteNamed(root.properties as JsonSchema, "/input/properties", note);
  const schema = properties === root.properties ? root : Object.freeze({ ...root, properties });
  return { schema: isShared && root === input ? schema : toFrozen(schema), losses };
};

const parametersCache = new WeakMap<JsonSchema, OllamaParameters>();

/**
 * Nearly every schema must be rewritten, which is too slow for a first export, so it happens at registration.
 */
export const ollamaParameters = (input: JsonSchema): OllamaParameters => {
  const before = parametersCache.get(input);
  if (before !== undefined) return before;
  const parameters = toParameters(input);
  if (isKnownFrozen(input)) parametersCache.set(input, parameters);
  return parameters;
};

export const toOllama = exporter<OllamaTool>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is not supported by this provider");
  if (spec.output !== undefined) note("/output", "output", "has no field in this format");
  const { schema, losses } = ollamaParameters(spec.input);
  for (const [pointer, keyword, why] of losses) note(pointer, keyword, why);
  const inner = Object.freeze({ name: wireName, description: spec.description, parameters: schema });
  return Object.freeze({ type: "function", function: inner });
});
