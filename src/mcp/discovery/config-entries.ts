import type { JsonObject } from "../../base/json/is-object.ts";
import type { ConfigFile } from "./config-files.ts";
import type { DiscoveryScope } from "./discovered-server.ts";

export interface ConfigEntry {
  readonly name: string;
  readonly value: unknown;
  readonly scope: DiscoveryScope;
  readonly project?: string;
}

export interface ConfigEntries {
  readonly entries: readonly ConfigEntry[];
  readonly problems: readonly string[];
}

export const jsonObjectOf = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

export const readConfigEntries = (document: unknown, place: ConfigFile): ConfigEntries => {
  const top = jsonObjectOf(document);
  if (top === undefined) return { entries: [], problems: ["does not contain an object"] };
  const problems: string[] = [];
  const entries: ConfigEntry[] = [];
  const addEntries = (
    at: string,
    servers: unknown,
    scope: DiscoveryScope,
    project: string | undefined,
  ): void => {
    if (servers === undefined || servers === null) return;
    const listed = jsonObjectOf(servers);
    if (listed === undefined) problems.push(`has something at ${at} that is not an object of servers`);
    for (const [name, value] of Object.entries(listed ?? {})) {
      entries.push({ name, value, scope, ...(project === undefined ? {} : { project }) });
    }
  };
  const here = (at: string, servers: unknown): void => addEntries(at, servers, place.scope, place.project);
  switch (place.shape) {
    case "vscode":
      here("/servers", top.servers);
      break;
    case "vscode-settings":
      here("/mcp/servers", jsonObjectOf(top.mcp)?.servers);
      here("/mcp.servers", top["mcp.servers"]);
      break;
    case "zed":
      here("/context_servers", top.context_servers);
      break;
    case "codex":
      here("/mcp_servers", top.mcp_servers);
      break;
    case "claude-code":
      here("/mcpServers", top.mcpServers);
      for (const [project, settings] of Object.entries(jsonObjectOf(top.projects) ?? {})) {
        addEntries("/projects/…/mcpServers", jsonObjectOf(settings)?.mcpServers, "local", project);
      }
      break;
    default:
      here("/mcpServers", top.mcpServers);
  }
  return { entries, problems };
};
