import { isObject } from "../../../base/json/json-value.ts";
import { restoreRemoteResult, toRemoteResult } from "../../../mcp/client/content/to-tool-value.ts";
import { remoteToolOf } from "../../../mcp/client/create-remote-tool.ts";
import { appResourceOf, isVisibleToApps } from "../../../mcp/client/to-tool/tool-link.ts";
import type { McpServerState } from "../../../types/mcp.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { Registration } from "../../../types/tool.ts";
import { HttpError } from "../../request/http-error.ts";
import { notFoundError } from "../api-error.ts";
import type { AppResult, AppView, ServerApp } from "../schemas/apps.ts";
import type { StudioServices } from "../studio-services.ts";
import { serverIdOfTool } from "../tools/to-tool-list-item.ts";

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

/** Quarantined tools have no App. */
export const appsOf = ({ shared }: StudioServices, { tools }: McpServerState): readonly ServerApp[] => {
  const uris = new Map<string, string[]>();
  for (const key of tools) {
    const tool = shared.registry.get(key)?.tool;
    const remote = tool === undefined ? undefined : remoteToolOf(tool);
    const uri = remote === undefined ? undefined : appResourceOf(remote);
    if (uri !== undefined) uris.set(uri, [...(uris.get(uri) ?? []), key]);
  }
  return Array.from(uris, ([uri, keys]) => ({ uri, tools: keys }));
};

export const requireApp = (studio: StudioServices, state: McpServerState, uri: string): void => {
  if (appsOf(studio, state).some((app) => app.uri === uri)) return;
  throw notFoundError(`App "${uri}" of a callable tool of the server ${state.id}`);
};

/** Apps may only call tools of their own server that are visible to Apps. */
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
    throw new HttpError(403, "not_for_apps", `The server does not allow Apps to call the tool ${key}.`);
  }
  throw new HttpError(
    403,
    "other_server",
    `The server ${state.id} has no callable tool "${name}". An App can only call tools of its own server.`,
  );
};

export const toAppView = (
  studio: StudioServices,
  registration: Registration | undefined,
  input: unknown,
  result: AppResult,
): AppView | undefined => {
  const app = registration === undefined ? undefined : appOf(studio, registration);
  if (app === undefined) return undefined;
  const given = studio.redactor.value(input);
  return { ...app, input: isObject(given) ? given : {}, result };
};

/** The ledger does not record content blocks next to structured content. */
export const toAppResult = (
  { redactor }: StudioServices,
  { ok, value, text, parts }: Pick<Reply, "ok" | "value" | "text" | "parts">,
): AppResult => {
  const masked = redactor.value(value);
  const reply = { ok, value: masked, text, id: "", tool: "", flow: { kind: "continue" } } as const;
  return (
    ok
      ? (restoreRemoteResult(masked, parts) ?? toRemoteResult(reply as never))
      : toRemoteResult(reply as never)
  ) as AppResult;
};
