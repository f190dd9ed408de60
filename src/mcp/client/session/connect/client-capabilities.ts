import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { McpCaller } from "../../../../types/mcp.ts";
import { uiExtension, uiMimeType } from "../../to-tool/mcp-app.ts";

const tasksExtension = "io.modelcontextprotocol/tasks";

export const clientCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
  extensions: { [tasksExtension]: {}, [uiExtension]: { mimeTypes: [uiMimeType] } },
};

const inputCapabilities = ["elicitation", "sampling", "roots"] as const;
const taskCapabilities: Readonly<Record<string, unknown>> = { extensions: { [tasksExtension]: {} } };
const noCapabilitiesDeclared: Readonly<Record<string, unknown>> = {};

const withUiCapability = (
  base: Readonly<Record<string, unknown>>,
  { capabilities: own }: McpCaller,
): Readonly<Record<string, unknown>> => {
  const extensions = own?.extensions as Readonly<Record<string, unknown>> | undefined;
  const ui = extensions?.[uiExtension];
  if (ui === undefined) return base;
  return { ...base, extensions: { ...(base.extensions as object | undefined), [uiExtension]: ui } };
};

/**
 * In the modern era, each request declares what this caller supports. Undefined if that equals the
 * connection's capabilities.
 */
export const capabilitiesOfCaller = (
  caller: McpCaller | undefined,
): Readonly<Record<string, unknown>> | undefined => {
  const withoutInput = caller?.waitsForTasks === false ? noCapabilitiesDeclared : taskCapabilities;
  const minimum = caller === undefined ? withoutInput : withUiCapability(withoutInput, caller);
  if (caller?.ask === undefined) return minimum;
  const own = caller.capabilities;
  if (own === undefined) return undefined;
  const has: Record<string, unknown> = { ...minimum };
  for (const kind of inputCapabilities) if (own[kind] !== undefined) has[kind] = own[kind];
  return has;
};
