import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { tool } from "../../../tools/tool.ts";
import { confusableKey } from "../../../tools/tool-name.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { NamedMcpServer } from "../../../types/mcp.ts";
import type { AnyTool, Implementation } from "../../../types/tool.ts";
import { extractMedia, type McpMediaLimits, restoreParts } from "../content/media-blocks.ts";
import type { RemoteValue } from "../content/to-tool-value.ts";
import { createRemoteCall } from "./call-remote.ts";
import { serverToolRules } from "./server-overrides.ts";
import { connectionLayer, type ToolLink } from "./tool-link.ts";

/** Resources and prompts as tools, so that access to them passes through the call pipeline. */
export type ServerFeatureTool = "readResource" | "getPrompt" | "completeArgument";

interface CompanionKind {
  readonly name: string;
  readonly capability: string;
  readonly method: string;
  readonly title: string;
  readonly description: (serverId: string) => string;
  readonly input: JsonSchema;
  /** Never offered to models. */
  readonly isHiddenFromModels?: true;
}

const uriText = { type: "string", minLength: 1, maxLength: 8_192 };

const companionKinds: Readonly<Record<ServerFeatureTool, CompanionKind>> = {
  readResource: {
    name: "read_resource",
    capability: "resources",
    method: "resources/read",
    title: "Read a resource",
    description: (id) => `Reads a resource of the server "${id}" by its URI.`,
    input: {
      type: "object",
      properties: { uri: { ...uriText, description: "URI of the resource, as the server lists it." } },
      required: ["uri"],
      additionalProperties: false,
    },
  },
  getPrompt: {
    name: "get_prompt",
    capability: "prompts",
    method: "prompts/get",
    title: "Get a prompt",
    description: (id) => `Fetches a prompt of the server "${id}" by its name, filled in with arguments.`,
    input: {
      type: "object",
      properties: {
        name: { ...uriText, description: "Name of the prompt, as the server lists it." },
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["name"],
      additionalProperties: false,
    },
  },
  completeArgument: {
    name: "complete_argument",
    capability: "completions",
    method: "completion/complete",
    title: "Complete an argument",
    description: (id) =>
      `Asks the server "${id}" for completions of a partly typed argument of a prompt or a resource template.`,
    input: {
      type: "object",
      properties: {
        ref: { type: "object", properties: { type: uriText }, required: ["type"] },
        argument: {
          type: "object",
          properties: { name: uriText, value: { type: "string", maxLength: 8_192 } },
          required: ["name", "value"],
        },
        context: {
          type: "object",
          properties: { arguments: { type: "object", additionalProperties: { type: "string" } } },
        },
      },
      required: ["ref", "argument"],
      additionalProperties: false,
    },
    isHiddenFromModels: true,
  },
};

export const companionNames = Object.keys(companionKinds) as readonly ServerFeatureTool[];

export const companionToolNames: readonly string[] = Object.values(companionKinds).map(({ name }) => name);

export const supportsCompanion = (
  companion: ServerFeatureTool,
  capabilities: Readonly<Record<string, unknown>>,
): boolean => capabilities[companionKinds[companion].capability] !== undefined;

export const uniqueCompanionName = (companion: ServerFeatureTool, taken: readonly string[]): string => {
  const looks = new Set(taken.map(confusableKey));
  let { name } = companionKinds[companion];
  while (looks.has(confusableKey(name))) name = `haft_${name}`;
  return name;
};

const extractResourceMedia = (value: JsonObject, limits: McpMediaLimits | undefined): RemoteValue => {
  const { contents } = value;
  if (!Array.isArray(contents) || !contents.every(isObject)) return { value };
  const { blocks, parts } = extractMedia(contents, limits);
  return parts.length === 0 ? { value } : { value: { ...value, contents: blocks }, parts };
};

const uriOfInput = (input: unknown): string => String((input as { readonly uri?: unknown }).uri);

export const createCompanionTool = (
  companion: ServerFeatureTool,
  name: string,
  server: NamedMcpServer,
  link: ToolLink,
): AnyTool => {
  const { method, title, description, input, isHiddenFromModels } = companionKinds[companion];
  const isOffered = server.offerResources === true && isHiddenFromModels !== true;
  const terms = serverToolRules(server).overridesOf(name);
  const timeoutMs = terms.timeoutMs ?? server.callTimeoutMs ?? link.callTimeoutMs;
  const run = createRemoteCall({
    method,
    params: (given) => given as Readonly<Record<string, unknown>>,
    read: (value) =>
      companion === "readResource" ? extractResourceMedia(value as JsonObject, link.media) : { value },
    ...(companion === "readResource"
      ? { refuse: (input, result) => link.checkPage?.(uriOfInput(input), result) }
      : {}),
    canTruncate: true,
    timeoutMs,
    link,
  });
  const implementation: Implementation = Object.freeze({
    _tag: "mcp",
    provesNotRun: true,
    bind: () => run,
    withParts: restoreParts,
  });
  return tool({
    name,
    description: description(server.id),
    input,
    risk: terms.risk ?? server.risk ?? "medium",
    requiresApproval: terms.requiresApproval ?? false,
    source: "mcp",
    timeout: timeoutMs,
    annotations: { title, readOnly: true, openWorld: true },
    implementation,
    layers: [connectionLayer(() => isOffered && link.isUp() && link.quarantine() === undefined)],
  }) as AnyTool;
};
