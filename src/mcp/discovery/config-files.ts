import { posix, win32 } from "node:path";
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
