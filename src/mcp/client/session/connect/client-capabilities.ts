import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { McpCaller } from "../../../../words/mcp.ts";
import { uiExtension, uiMimeType } from "../../to-tool/ui-of.ts";

const tasksExtension = "io.modelcontextprotocol/tasks";

/** What this client can do: pass questions on to whoever called, and wait for a task. */
export const capabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
  extensions: { [tasksExtension]: {}, [uiExtension]: { mimeTypes: [uiMimeType] } },
};

const questions = ["elicitation", "sampling", "roots"] as const;
const quiet: Readonly<Record<string, unknown>> = { extensions: { [tasksExtension]: {} } };
const nothing: Readonly<Record<string, unknown>> = {};

/** A caller that shows apps says which; where there is none, nobody does. */
const withUi = (
  least: Readonly<Record<string, unknown>>,
  { capabilities: own }: McpCaller,
): Readonly<Record<string, unknown>> => {
  const extensions = own?.extensions as Readonly<Record<string, unknown>> | undefined;
  const ui = extensions?.[uiExtension];
  if (ui === undefined) return least;
  return { ...least, extensions: { ...(least.extensions as object | undefined), [uiExtension]: ui } };
};

/**
 * What can be asked of this caller. The modern era says it with each request, so a server need not ask what nobody
 * will answer. Undefined where it is what the connection says anyway.
 */
export const capabilitiesOf = (
  caller: McpCaller | undefined,
): Readonly<Record<string, unknown>> | undefined => {
  const alone = caller?.waitsForTasks === false ? nothing : quiet;
  const least = caller === undefined ? alone : withUi(alone, caller);
  if (caller?.ask === undefined) return least;
  const own = caller.capabilities;
  if (own === undefined) return undefined;
  const has: Record<string, unknown> = { ...least };
  for (const kind of questions) if (own[kind] !== undefined) has[kind] = own[kind];
  return has;
};
