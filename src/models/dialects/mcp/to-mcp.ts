import type { JsonSchema } from "../../words/json.ts";
import type { Annotations } from "../../words/spec.ts";
import { exporter } from "../exporter.ts";
import { frozenInPlace } from "../frozen.ts";
import { isPlain, needs } from "../schema/needs.ts";
import { objectRoot } from "../schema/object-root.ts";
import { plainProperties } from "../schema/plain-properties.ts";
import { rewriteSchema } from "../schema/rewrite-schema.ts";

export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: McpHints;
  /** What a server behind a gateway says besides; a tool of ours has neither. */
  readonly icons?: readonly Readonly<Record<string, unknown>>[];
  readonly execution?: Readonly<Record<string, unknown>>;
  /** Of a tool of ours its `meta`, of a server's tool what the server says. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface McpHints {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Only what the spec says: a hint left out means what the protocol takes it to mean. */
const hintsOf = (annotations: Annotations): McpHints => {
  const { readOnly, destructive, idempotent, openWorld } = annotations;
  return {
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
};

const schemaOf = (source: JsonSchema, pointer: string): JsonSchema =>
  isPlain(source, needs.booleans) ? source : rewriteSchema(source, pointer, plainProperties);

/** Schemas keep their own dialect, references and all: the protocol takes JSON Schema whole. */
export const toMcp = exporter<McpTool>(({ wireName, spec }, note) => {
  if (spec.strict) note("/strict", "strict", "is a matter between a client and its model");
  const { annotations, description, output, meta } = spec;
  const hints = hintsOf(annotations);
  const isObject = output?.type === "object";
  if (output !== undefined && !isObject) {
    note(
      "/output",
      "output",
      "is left out: clients before 2026-07-28 refuse a list of tools over one that is not an object",
    );
  }
  return frozenInPlace({
    name: wireName,
    ...(annotations.title === undefined ? {} : { title: annotations.title }),
    description,
    inputSchema: objectRoot(schemaOf(spec.input, "/input"), [], note),
    ...(isObject ? { outputSchema: schemaOf(output, "/output") } : {}),
    ...(Object.keys(hints).length === 0 ? {} : { annotations: hints }),
    ...(meta === undefined ? {} : { _meta: meta }),
  });
});
