import { isForApps, uiResourceOf } from "../../mcp/client/to-tool/ui-of.ts";
import { remoteOf } from "../../mcp/client/to-tool.ts";
import type { McpServerState } from "../../words/mcp.ts";
import type { Registration } from "../../words/tool.ts";
import { ApiRefusal, notFound } from "../refused.ts";
import { serverOf } from "../tools/tool-line.ts";
import type { AppLine, AppView } from "../words/apps.ts";
import type { StudioWorld } from "../world.ts";

/** The App that shows results of a tool, where it has one. */
export const appOf = (
  world: StudioWorld,
  registration: Registration,
): Pick<AppView, "server" | "uri" | "tool"> | undefined => {
  const remote = remoteOf(registration.tool);
  const uri = remote === undefined ? undefined : uiResourceOf(remote);
  const server = serverOf(world, registration);
  if (remote === undefined || uri === undefined || server === undefined) return undefined;
  const { name, title, description, inputSchema, outputSchema } = remote;
  const said = Object.entries({ name, title, description, inputSchema, outputSchema });
  return { server, uri, tool: Object.fromEntries(said.filter(([, value]) => value !== undefined)) };
};

/** The Apps of a server, by the tools that can be called now: one that is held back opens no page. */
export const appsOf = ({ shared }: StudioWorld, { tools }: McpServerState): readonly AppLine[] => {
  const uris = new Map<string, string[]>();
  for (const key of tools) {
    const tool = shared.registry.get(key)?.tool;
    const remote = tool === undefined ? undefined : remoteOf(tool);
    const uri = remote === undefined ? undefined : uiResourceOf(remote);
    if (uri !== undefined) uris.set(uri, [...(uris.get(uri) ?? []), key]);
  }
  return Array.from(uris, ([uri, keys]) => ({ uri, tools: keys }));
};

/** The page of a server's tool, or a refusal: not every resource of a server is a page to be shown. */
export const checkApp = (world: StudioWorld, state: McpServerState, uri: string): void => {
  if (appsOf(world, state).some((app) => app.uri === uri)) return;
  throw notFound(`App "${uri}" of a tool of the server ${state.id} that can be called`);
};

/** The tool that an App means by the name its server gave it: of the same server, and meant for Apps. */
export const toolForApp = ({ shared }: StudioWorld, state: McpServerState, name: string): Registration => {
  for (const key of state.tools) {
    const registration = shared.registry.get(key);
    const remote = registration === undefined ? undefined : remoteOf(registration.tool);
    if (registration === undefined || remote?.name !== name) continue;
    if (isForApps(remote)) return registration;
    throw new ApiRefusal(403, "not_for_apps", `The tool ${key} is not for Apps, as its server says.`);
  }
  throw new ApiRefusal(
    403,
    "other_server",
    `The server ${state.id} has no tool "${name}" that can be called. An App calls tools of its own server only.`,
  );
};
