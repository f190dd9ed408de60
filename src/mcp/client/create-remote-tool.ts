import { tool } from "../../tool/tool.ts";
import { ToolDefinitionError } from "../../words/errors.ts";
import type { JsonSchema } from "../../words/json.ts";
import type { McpToolTerms, NamedServer, RemoteTool } from "../../words/mcp.ts";
import type { Annotations } from "../../words/spec.ts";
import type { AnyTool, Implementation } from "../../words/tool.ts";
import { withParts } from "./content/media-blocks.ts";
import { toValue } from "./content/to-value.ts";
import { callRemote } from "./to-tool/call-remote.ts";
import { gate } from "./to-tool/gate.ts";
import { linearPatterns } from "./to-tool/linear-patterns.ts";
import type { ToolLink } from "./to-tool/link.ts";
import { modernSchema } from "./to-tool/modern-schema.ts";
import { safeName } from "./to-tool/safe-name.ts";
import { rulesOf } from "./to-tool/terms.ts";
import { isForModels } from "./to-tool/ui-of.ts";
import { foreignWords } from "./transport/foreign-words.ts";

interface RemoteOrigin {
  readonly remote: RemoteTool;
  readonly notes: readonly string[];
}

const origins = new WeakMap<Implementation<unknown>, RemoteOrigin>();

/** What the server said, of a tool that came from one. */
export const remoteOf = (of: AnyTool): RemoteTool | undefined => origins.get(of.implementation)?.remote;

/** What of the server's words is checked by nobody here, a sentence each. */
export const lossesOf = (of: AnyTool): readonly string[] => origins.get(of.implementation)?.notes ?? [];

/**
 * A server's tool as one of ours. Risk and approval are the operator's word; category and tags are never the
 * server's. Throws a `ToolDefinitionError` for a name, words or a schema that cannot be taken over as they are.
 */
export const toTool = (remote: RemoteTool, server: NamedServer, link: ToolLink): AnyTool => {
  const name = safeName(remote.name);
  const terms = rulesOf(server).termsOf(name);
  const timeoutMs = terms.timeoutMs ?? server.callTimeoutMs ?? link.callTimeoutMs;
  const { outputSchema } = remote;
  const input = toRead({ ...remote.inputSchema, type: remote.inputSchema.type ?? "object" }, "/inputSchema");
  const output = outputSchema === undefined ? undefined : toRead(outputSchema, "/outputSchema");
  const hasOutput = outputSchema !== undefined;
  const isOffered = isForModels(remote);
  const run = callRemote({
    method: "tools/call",
    // Always the server's own name for it, whatever a model wrote.
    params: (input) => ({ name: remote.name, arguments: input }),
    read: (result) => toValue(result, { hasOutput, media: link.media }),
    canSpill: !hasOutput,
    timeoutMs,
    link,
  });
  const implementation: Implementation = Object.freeze({
    _tag: "mcp",
    provesNotRun: true,
    bind: () => run,
    withParts,
  });
  const notes = Object.freeze([...input.notes, ...(output?.notes ?? [])]);
  origins.set(implementation as Implementation<unknown>, { remote, notes });
  return tool({
    name,
    description: descriptionOf(remote, server),
    input: input.schema,
    ...(output === undefined ? {} : { output: output.schema }),
    category: "custom",
    risk: terms.risk ?? server.risk ?? "medium",
    requiresApproval: terms.requiresApproval ?? false,
    source: "mcp",
    // The operator's word, never the server's.
    tags: terms.trusted === true ? ["trusted"] : [],
    timeout: timeoutMs,
    annotations: annotationsOf(remote, terms),
    implementation,
    layers: [gate(() => isOffered && link.isUp() && link.held() === undefined)],
  }) as AnyTool;
};

interface ReadSchema {
  readonly schema: JsonSchema;
  readonly notes: readonly string[];
}

/** Whatever else our own authors may write in the place of a schema, a server can only mean JSON Schema. */
const toRead = (given: JsonSchema, pointer: string): ReadSchema => {
  const { schema, left } = linearPatterns(modernSchema(given));
  return {
    schema:
      schema.$schema === undefined
        ? { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }
        : schema,
    notes: left.map(
      (at) => `the pattern at ${foreignWords(pointer + at, 120)} is checked by its server alone`,
    ),
  };
};

const longest = 16_384;

const descriptionOf = ({ name, title, description = title }: RemoteTool, server: NamedServer): string => {
  if (description === undefined || description.trim() === "") {
    return `The tool "${foreignWords(name)}" of the server "${server.id}", which says nothing about it.`;
  }
  // Cut, it could say something else.
  if (description.length <= longest) return description;
  throw new ToolDefinitionError(
    "invalid_definition",
    `Its description has ${description.length} characters; a tool's may have ${longest}.`,
  );
};

/**
 * What a server says of its tool counts against it. It counts in its favor only where the operator believes it: a
 * server that calls its tool harmless has proved nothing.
 */
const annotationsOf = (remote: RemoteTool, { trustAnnotations }: McpToolTerms): Annotations => {
  const hints = remote.annotations ?? {};
  const isTrusted = trustAnnotations === true;
  const isDestructive = hints.destructiveHint === true;
  const title = titleOf(remote);
  return {
    ...(title === undefined ? {} : { title }),
    ...(isTrusted && hints.readOnlyHint === true && !isDestructive ? { readOnly: true } : {}),
    ...(isTrusted && hints.idempotentHint === true ? { idempotent: true } : {}),
    ...(isDestructive ? { destructive: true } : {}),
    ...(isTrusted && hints.destructiveHint === false ? { destructive: false } : {}),
    openWorld: !(isTrusted && hints.openWorldHint === false),
  };
};

const titleOf = (remote: RemoteTool): string | undefined => {
  const said = [remote.title, remote.annotations?.title].find((each) => typeof each === "string");
  const title = said === undefined ? "" : foreignWords(said);
  return title === "" ? undefined : title;
};
