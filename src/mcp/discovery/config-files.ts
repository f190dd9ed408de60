import { posix, win32 } from "node:path";
import type { JsonObject } from "../../base/json/json-value.ts";
import type { DiscoveryScope, McpClientApp } from "./discovered-server.ts";

export type ConfigShape =
  | "mcpServers"
  | "claude-code"
  | "vscode"
  | "vscode-settings"
  | "zed"
  | "gemini"
  | "codex";

export interface ConfigFile {
  readonly client: McpClientApp;
  readonly scope: DiscoveryScope;
  readonly file: string;
  readonly shape: ConfigShape;
  readonly project?: string;
}

export interface MachineInfo {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const pathModuleOf = (platform: NodeJS.Platform): typeof posix =>
  platform === "win32" ? win32 : posix;

export const projectConfigFiles = (project: string, platform: NodeJS.Platform): readonly ConfigFile[] => {
  const { join } = pathModuleOf(platform);
  const place = (client: McpClientApp, shape: ConfigShape, ...path: readonly string[]): ConfigFile => ({
    client,
    scope: "project",
    file: join(project, ...path),
    shape,
    project,
  });
  return [
    place("claude-code", "mcpServers", ".mcp.json"),
    place("vscode", "vscode", ".vscode", "mcp.json"),
    place("vscode", "vscode-settings", ".vscode", "settings.json"),
    place("cursor", "mcpServers", ".cursor", "mcp.json"),
    place("zed", "zed", ".zed", "settings.json"),
    place("gemini", "gemini", ".gemini", "settings.json"),
    place("codex", "codex", ".codex", "config.toml"),
  ];
};

export const userConfigFiles = (machine: MachineInfo): readonly ConfigFile[] => {
  const { home, platform, env } = machine;
  const { join } = pathModuleOf(platform);
  const application = applicationFolder(machine);
  const place = (client: McpClientApp, shape: ConfigShape, file: string): ConfigFile => ({
    client,
    scope: "user",
    file,
    shape,
  });
  const code = (client: McpClientApp, folder: string): readonly ConfigFile[] => [
    place(client, "vscode", join(application, folder, "User", "mcp.json")),
    place(client, "vscode-settings", join(application, folder, "User", "settings.json")),
  ];
  return [
    place("claude-code", "claude-code", join(nonEmpty(env.CLAUDE_CONFIG_DIR) ?? home, ".claude.json")),
    place("claude-desktop", "mcpServers", join(application, "Claude", "claude_desktop_config.json")),
    ...code("vscode", "Code"),
    ...code("vscode-insiders", "Code - Insiders"),
    place("cursor", "mcpServers", join(home, ".cursor", "mcp.json")),
    place("windsurf", "mcpServers", join(home, ".codeium", "windsurf", "mcp_config.json")),
    place("zed", "zed", join(zedFolder(machine), "settings.json")),
    place("gemini", "gemini", join(home, ".gemini", "settings.json")),
    place("codex", "codex", join(nonEmpty(env.CODEX_HOME) ?? join(home, ".codex"), "config.toml")),
  ];
};

const nonEmpty = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

const applicationFolder = ({ home, platform, env }: MachineInfo): string => {
  const { join } = pathModuleOf(platform);
  if (platform === "win32") return nonEmpty(env.APPDATA) ?? join(home, "AppData", "Roaming");
  if (platform === "darwin") return join(home, "Library", "Application Support");
  return nonEmpty(env.XDG_CONFIG_HOME) ?? join(home, ".config");
};

/** Zed uses ~/.config on macOS too. */
const zedFolder = (machine: MachineInfo): string => {
  const { join } = pathModuleOf(machine.platform);
  if (machine.platform === "darwin") return join(machine.home, ".config", "zed");
  return join(applicationFolder(machine), machine.platform === "win32" ? "Zed" : "zed");
};

interface ConfigEntry {
  readonly name: string;
  readonly value: unknown;
  readonly scope: DiscoveryScope;
  readonly project?: string;
}

interface ConfigEntries {
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
