import type { JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { NoteLoss } from "../export.ts";
import { exporter } from "../exporter.ts";
import { frozen } from "../frozen.ts";
import { withHints } from "../schema/hints.ts";
import { inlineReferences } from "../schema/inline-references.ts";
import { isPlain, needs } from "../schema/needs.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties } from "../schema/plain-properties.ts";
import { below, isSchema, rewriteSchema } from "../schema/rewrite-schema.ts";

export interface OllamaTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
  };
}

const rewrites = needs.references | needs.booleans;
const refused = ["allOf", "anyOf", "oneOf"];
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

const drops = "is sent, but the server drops it before a model sees it";

const none: readonly string[] = [];

const droppedBy = (
  schema: JsonSchema,
  read: ReadonlySet<string>,
  pointer: string,
  note: NoteLoss,
): readonly string[] => {
  let dropped: string[] | undefined;
  for (const keyword in schema) {
    if (read.has(keyword)) continue;
    dropped ??= [];
    dropped.push(keyword);
    note(pointer, keyword, drops);
  }
  return dropped ?? none;
};

const named = (schemas: JsonSchema, pointer: string, note: NoteLoss): JsonSchema => {
  let copy: Record<string, unknown> | undefined;
  for (const name in schemas) {
    const next = property(schemas[name], below(pointer, name), note);
    if (next === schemas[name]) continue;
    copy ??= { ...schemas };
    copy[name] = next;
  }
  return copy === undefined ? schemas : Object.freeze(copy);
};

/** A union and a constant in the spelling the server reads. */
const readable = (schema: JsonSchema, pointer: string, note: NoteLoss): JsonSchema => {
  let next = schema;
  if (next.const !== undefined && next.enum === undefined) next = { ...next, enum: [next.const] };
  if (next.oneOf === undefined || next.anyOf !== undefined) return next;
  note(pointer, "oneOf", "is written as `anyOf`");
  const { oneOf, ...rest } = next;
  return { ...rest, anyOf: oneOf };
};

/**
 * The server reads a property into a fixed record and drops every other keyword before a model sees it. They
 * are sent all the same, and told in the description; what is inside `items` passes as it is.
 */
const property = (schema: unknown, pointer: string, note: NoteLoss): unknown => {
  if (!isSchema(schema)) return schema;
  const source = readable(schema, pointer, note);
  const { anyOf, properties } = source;
  let next = withHints(source, source, droppedBy(source, readBelow, pointer, note));
  if (Array.isArray(anyOf)) {
    const at = `${pointer}/${schema.anyOf === undefined ? "oneOf" : "anyOf"}`;
    next = { ...next, anyOf: anyOf.map((branch, index) => property(branch, `${at}/${index}`, note)) };
  }
  if (isSchema(properties)) {
    const read = named(properties, `${pointer}/properties`, note);
    if (read !== properties) next = { ...next, properties: read };
  }
  return next === schema ? schema : Object.freeze(next);
};

/** What an answer must be. The server makes a grammar of it, which follows no references. */
export const toFormat = ({ input }: ToolSpec): JsonSchema =>
  frozen(
    rewriteSchema(
      inlineReferences(input, "/input", () => {}),
      "/input",
      plainProperties,
    ),
  );

const rewritten = (input: JsonSchema, note: NoteLoss): JsonSchema => {
  const inlined = inlineReferences(input, "/input", note);
  return isPlain(input, needs.booleans) ? inlined : rewriteSchema(inlined, "/input", plainProperties);
};

export const toOllama = exporter<OllamaTool>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is not known to this provider");
  if (spec.output !== undefined) note("/output", "output", "has no field in this format");
  const isShared = isPlain(spec.input, rewrites);
  const schema = isShared ? spec.input : rewritten(spec.input, note);
  const root = objectRoot(schema, refused, note);
  droppedBy(root, readAtTop, "/input", note);
  const properties = named(root.properties as JsonSchema, "/input/properties", note);
  const parameters = properties === root.properties ? root : Object.freeze({ ...root, properties });
  const inner = Object.freeze({ name: wireName, description: spec.description, parameters });
  const tool: OllamaTool = Object.freeze({ type: "function", function: inner });
  // All that was made here is frozen, so only a schema of somebody else can hold anything that is not.
  return isShared && root === spec.input ? tool : frozen(tool);
});
