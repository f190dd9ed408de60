import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { McpCaller } from "../../../../types/mcp.ts";
import { uiExtension, uiMimeType } from "../../to-tool/mcp-app.ts";

const tasksExtension = "io.modelcontextprotocol/tasks";

/** What this client can do: pass questions on to whoever called, and wait for a task. */
export const clientCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
  extensions: { [tasksExtension]: {}, [uiExtension]: { mimeTypes: [uiMimeType] } },
};

const inputCapabilities = ["elicitation", "sampling", "roots"] as const;
const taskCapabilities: Readonly<Record<string, unknown>> = { extensions: { [tasksExtension]: {} } };
const noCapabilitiesDeclared: Readonly<Record<string, unknown>> = {};

/** A caller that shows apps says which; where there is none, nobody does. */
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
 * What can be asked of this caller. The modern era says it with each request, so a server need not ask what nobody
 * will answer. Undefined where it is what the connection says anyway.
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
