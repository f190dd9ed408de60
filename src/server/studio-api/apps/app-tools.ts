import { remoteToolOf } from "../../../mcp/client/create-remote-tool.ts";
import { appResourceOf, isVisibleToApps } from "../../../mcp/client/to-tool/mcp-app.ts";
import type { McpServerState } from "../../../types/mcp.ts";
import type { Registration } from "../../../types/tool.ts";
import { ApiRequestError, notFoundError } from "../api-error.ts";
import type { StudioServices } from "../studio-services.ts";
import { serverIdOfTool } from "../tools/to-tool-line.ts";
import type { AppLine, AppView } from "../types/apps.ts";

/** The App that shows results of a tool, where it has one. */
export const appOf = (
  studio: StudioServices,
  registration: Registration,
): Pick<AppView, "server" | "uri" | "tool"> | undefined => {
  const remote = remoteToolOf(registration.tool);
  const uri = remote === undefined ? undefined : appResourceOf(remote);
  const server = serverIdOfTool(studio, registration);
  if (remote === undefined || uri === undefined || server === undefined) return undefined;
  const { name, title, description, inputSchema, outputSchema } = remote;
  const fields = Object.entries({ name, title, description, inputSchema, outputSchema });
  return { server, uri, tool: Object.fromEntries(fields.filter(([, value]) => value !== undefined)) };
};

/** The Apps of a server, by the tools that can be called now: one that is held back opens no page. */
export const appsOf = ({ shared }: StudioServices, { tools }: McpServerState): readonly AppLine[] => {
  const uris = new Map<string, string[]>();
  for (const key of tools) {
    const tool = shared.registry.get(key)?.tool;
    const remote = tool === undefined ? undefined : remoteToolOf(tool);
    const uri = remote === undefined ? undefined : appResourceOf(remote);
    if (uri !== undefined) uris.set(uri, [...(uris.get(uri) ?? []), key]);
  }
  return Array.from(uris, ([uri, keys]) => ({ uri, tools: keys }));
};

/** The page of a server's tool, or a refusal: not every resource of a server is a page to be shown. */
export const requireApp = (studio: StudioServices, state: McpServerState, uri: string): void => {
  if (appsOf(studio, state).some((app) => app.uri === uri)) return;
  throw notFoundError(`App "${uri}" of a tool of the server ${state.id} that can be called`);
};

/** The tool that an App means by the name its server gave it: of the same server, and meant for Apps. */
export const findAppTool = (
  { shared }: StudioServices,
  state: McpServerState,
  name: string,
): Registration => {
  for (const key of state.tools) {
    const registration = shared.registry.get(key);
    const remote = registration === undefined ? undefined : remoteToolOf(registration.tool);
    if (registration === undefined || remote?.name !== name) continue;
    if (isVisibleToApps(remote)) return registration;
    throw new ApiRequestError(403, "not_for_apps", `The tool ${key} is not for Apps, as its server says.`);
  }
  throw new ApiRequestError(
    403,
    "other_server",
    `The server ${state.id} has no tool "${name}" that can be called. An App calls tools of its own server only.`,
  );
};
