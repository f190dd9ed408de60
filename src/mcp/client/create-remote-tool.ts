import { tool } from "../../tools/tool.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { McpToolOverrides, NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import type { Annotations } from "../../types/spec.ts";
import type { AnyTool, Implementation } from "../../types/tool.ts";
import { restoreParts } from "./content/media-blocks.ts";
import { toToolValue } from "./content/to-tool-value.ts";
import { argumentReader } from "./to-tool/argument-reader.ts";
import { createRemoteCall } from "./to-tool/call-remote.ts";
import { connectionLayer } from "./to-tool/connection-layer.ts";
import { dropUnsafePatterns } from "./to-tool/drop-unsafe-patterns.ts";
import { isVisibleToModels } from "./to-tool/mcp-app.ts";
import { modernizeSchema } from "./to-tool/modern-schema.ts";
import { toSafeName } from "./to-tool/safe-name.ts";
import { serverToolRules } from "./to-tool/server-overrides.ts";
import type { ToolLink } from "./to-tool/tool-link.ts";
import { sanitizeUntrustedText } from "./transport/sanitize-foreign-text.ts";

interface RemoteToolOrigin {
  readonly remote: RemoteTool;
  readonly notes: readonly string[];
}

const remoteOrigins = new WeakMap<Implementation<unknown>, RemoteToolOrigin>();

export const remoteToolOf = (of: AnyTool): RemoteTool | undefined =>
  remoteOrigins.get(of.implementation)?.remote;

/** Schema constraints that only the server checks. */
export const schemaLossesOf = (of: AnyTool): readonly string[] =>
  remoteOrigins.get(of.implementation)?.notes ?? [];

/** Risk, approval and trust come from the operator's configuration, never from the server. */
export const createRemoteTool = (remote: RemoteTool, server: NamedMcpServer, link: ToolLink): AnyTool => {
  const name = toSafeName(remote.name);
  const terms = serverToolRules(server).overridesOf(name);
  const timeoutMs = terms.timeoutMs ?? server.callTimeoutMs ?? link.callTimeoutMs;
  const { outputSchema } = remote;
  const input = readRemoteSchema(
    { ...remote.inputSchema, type: remote.inputSchema.type ?? "object" },
    "/inputSchema",
  );
  const output = outputSchema === undefined ? undefined : readRemoteSchema(outputSchema, "/outputSchema");
  const hasOutput = outputSchema !== undefined;
  const isOffered = isVisibleToModels(remote);
  const run = createRemoteCall({
    method: "tools/call",
    params: (input) => ({ name: remote.name, arguments: input }),
    read: (result) => toToolValue(result, { hasOutput, media: link.media }),
    canTruncate: !hasOutput,
    timeoutMs,
    link,
  });
  const implementation: Implementation = Object.freeze({
    _tag: "mcp",
    provesNotRun: true,
    bind: () => run,
    withParts: restoreParts,
  });
  const notes = Object.freeze([...input.notes, ...(output?.notes ?? [])]);
  remoteOrigins.set(implementation as Implementation<unknown>, { remote, notes });
  return tool({
    name,
    description: descriptionOf(remote, server),
    input: input.schema,
    ...(output === undefined ? {} : { output: output.schema }),
    category: "custom",
    risk: terms.risk ?? server.risk ?? "medium",
    requiresApproval: terms.requiresApproval ?? false,
    source: "mcp",
    tags: terms.trusted === true ? ["trusted"] : [],
    timeout: timeoutMs,
    ...(terms.key === undefined ? {} : { key: argumentReader(terms.key) }),
    annotations: annotationsOf(remote, terms),
    implementation,
    layers: [connectionLayer(() => isOffered && link.isUp() && link.quarantine() === undefined)],
  }) as AnyTool;
};

interface ReadRemoteSchema {
  readonly schema: JsonSchema;
  readonly notes: readonly string[];
}

const readRemoteSchema = (given: JsonSchema, pointer: string): ReadRemoteSchema => {
  const { schema, droppedPatterns } = dropUnsafePatterns(modernizeSchema(given));
  return {
    schema:
      schema.$schema === undefined
        ? { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }
        : schema,
    notes: droppedPatterns.map(
      (at) => `the pattern at ${sanitizeUntrustedText(pointer + at, 120)} is checked only by its server`,
    ),
  };
};

const maxDescriptionLength = 16_384;

const descriptionOf = ({ name, title, description = title }: RemoteTool, server: NamedMcpServer): string => {
  if (description === undefined || description.trim() === "") {
    return `The tool "${sanitizeUntrustedText(name)}" of the server "${server.id}". The server gives no description.`;
  }
  // A truncated description could change its meaning.
  if (description.length <= maxDescriptionLength) return description;
  throw new ToolDefinitionError(
    "invalid_definition",
    `Its description has ${description.length} characters; the maximum is ${maxDescriptionLength}.`,
  );
};

/** Annotations of a server can raise the risk, but lower it only with `trustAnnotations`. */
const annotationsOf = (remote: RemoteTool, { trustAnnotations }: McpToolOverrides): Annotations => {
  const hints = remote.annotations ?? {};
  const isTrusted = trustAnnotations === true;
  const isDestructive = hints.destructiveHint === true;
  const title = remoteTitleOf(remote);
  return {
    ...(title === undefined ? {} : { title }),
    ...(isTrusted && hints.readOnlyHint === true && !isDestructive ? { readOnly: true } : {}),
    ...(isTrusted && hints.idempotentHint === true ? { idempotent: true } : {}),
    ...(isDestructive ? { destructive: true } : {}),
    ...(isTrusted && hints.destructiveHint === false ? { destructive: false } : {}),
    openWorld: !(isTrusted && hints.openWorldHint === false),
  };
};

const remoteTitleOf = (remote: RemoteTool): string | undefined => {
  const said = [remote.title, remote.annotations?.title].find((each) => typeof each === "string");
  const title = said === undefined ? "" : sanitizeUntrustedText(said);
  return title === "" ? undefined : title;
};
