import type { JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { Export, NoteLoss } from "../export.ts";
import { exporter } from "../exporter.ts";
import { frozen, frozenInPlace } from "../frozen.ts";
import type { OfferedTool } from "../listed.ts";
import { toDraft2020 } from "../schema/draft-2020.ts";
import { inlineReferences } from "../schema/inline-references.ts";
import { isPlain, needs } from "../schema/needs.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties } from "../schema/plain-properties.ts";
import { inTurn, type RewriteStep, rewriteSchema } from "../schema/rewrite-schema.ts";

export interface GeminiDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema as it is. The older `parameters` takes a small part of OpenAPI and refuses the rest. */
  readonly parametersJsonSchema: JsonSchema;
  readonly responseJsonSchema?: JsonSchema;
}

export interface GeminiTool {
  readonly functionDeclarations: readonly GeminiDeclaration[];
}

const withoutDialect =
  (note: NoteLoss): RewriteStep =>
  (schema, pointer) => {
    if (schema.$schema === undefined) return schema;
    note(pointer, "$schema", "is not among the keywords this provider takes");
    const { $schema, ...rest } = schema;
    return rest;
  };

const rewrites = needs.references | needs.dialect | needs.draft | needs.booleans;

/** References are written out: the provider refuses one that stands beside other keywords or outside `$defs`. */
const schemaOf = (source: JsonSchema, pointer: string, note: NoteLoss): JsonSchema => {
  if (isPlain(source, rewrites)) return source;
  const inlined = inlineReferences(source, pointer, note);
  return rewriteSchema(inlined, pointer, inTurn(toDraft2020(note), plainProperties, withoutDialect(note)));
};

const declarations = exporter<GeminiDeclaration>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is a setting of the request here, not of a tool");
  const declaration = {
    name: wireName,
    description: spec.description,
    parametersJsonSchema: objectRoot(schemaOf(spec.input, "/input", note), [], note),
  };
  if (spec.output === undefined) return frozenInPlace(declaration);
  return frozenInPlace({ ...declaration, responseJsonSchema: schemaOf(spec.output, "/output", note) });
});

/** What an answer must be, as the configuration of a request takes it. */
export const toResponseSchema = ({ input }: ToolSpec): JsonSchema =>
  frozen(
    objectRoot(
      schemaOf(input, "/input", () => {}),
      [],
      () => {},
    ),
  );

const wrapped = new WeakMap<Export<GeminiDeclaration>, Export<GeminiTool>>();

/** One tool that declares all functions, as a request takes them. */
export const toGemini = (tools: readonly OfferedTool[]): Export<GeminiTool> => {
  const flat = declarations(tools);
  const before = wrapped.get(flat);
  if (before !== undefined) return before;
  const list = flat.tools.length === 0 ? [] : [Object.freeze({ functionDeclarations: flat.tools })];
  const whole = Object.freeze({
    tools: Object.freeze(list),
    get report() {
      return flat.report;
    },
  });
  wrapped.set(flat, whole);
  return whole;
};
