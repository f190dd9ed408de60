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

const droppedBy = (schema: JsonSchema, read: ReadonlySet<string>, pointer: string, note: NoteLoss) => {
  const dropped: string[] = [];
  for (const keyword in schema) {
    if (read.has(keyword)) continue;
    dropped.push(keyword);
    note(pointer, keyword, drops);
  }
  return dropped;
};

const named = (schemas: JsonSchema, pointer: string, note: NoteLoss): JsonSchema => {
  const copy: Record<string, unknown> = { ...schemas };
  for (const name in schemas) copy[name] = property(schemas[name], below(pointer, name), note);
  return copy;
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
  return isSchema(properties)
    ? { ...next, properties: named(properties, `${pointer}/properties`, note) }
    : next;
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

export const toOllama = exporter<OllamaTool>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is not known to this provider");
  if (spec.output !== undefined) note("/output", "output", "has no field in this format");
  const schema = isPlain(spec.input, rewrites)
    ? spec.input
    : rewriteSchema(inlineReferences(spec.input, "/input", note), "/input", plainProperties);
  const root = objectRoot(schema, refused, note);
  droppedBy(root, readAtTop, "/input", note);
  const properties = named(root.properties as JsonSchema, "/input/properties", note);
  return frozen({
    type: "function",
    function: {
      name: wireName,
      description: spec.description,
      parameters: { ...root, properties },
    },
  });
});
