import type { JsonObject } from "../../json/is-object.ts";
import type { FoundScope } from "./found-server.ts";
import type { ConfigFile } from "./places.ts";

/** One server as a file has it. */
export interface ConfigEntry {
  readonly name: string;
  readonly value: unknown;
  readonly scope: FoundScope;
  readonly project?: string;
}

export interface Entries {
  readonly entries: readonly ConfigEntry[];
  readonly problems: readonly string[];
}

export const fieldsOf = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;

/** Where each client keeps its servers in a file. A file that says nothing of servers has none. */
export const entriesOf = (document: unknown, place: ConfigFile): Entries => {
  const top = fieldsOf(document);
  if (top === undefined) return { entries: [], problems: ["does not hold an object"] };
  const problems: string[] = [];
  const entries: ConfigEntry[] = [];
  const take = (at: string, servers: unknown, scope: FoundScope, project: string | undefined): void => {
    if (servers === undefined || servers === null) return;
    const listed = fieldsOf(servers);
    if (listed === undefined) problems.push(`has something at ${at} that is not an object of servers`);
    for (const [name, value] of Object.entries(listed ?? {})) {
      entries.push({ name, value, scope, ...(project === undefined ? {} : { project }) });
    }
  };
  const here = (at: string, servers: unknown): void => take(at, servers, place.scope, place.project);
  switch (place.shape) {
    case "vscode":
      here("/servers", top.servers);
      break;
    case "vscode-settings":
      here("/mcp/servers", fieldsOf(top.mcp)?.servers);
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
      for (const [project, settings] of Object.entries(fieldsOf(top.projects) ?? {})) {
        take("/projects/…/mcpServers", fieldsOf(settings)?.mcpServers, "local", project);
      }
      break;
    default:
      here("/mcpServers", top.mcpServers);
  }
  return { entries, problems };
};
