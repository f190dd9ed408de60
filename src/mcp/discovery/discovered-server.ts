import type { NamedMcpServer } from "../../types/mcp.ts";

export const mcpClientApps = [
  "claude-code",
  "claude-desktop",
  "vscode",
  "vscode-insiders",
  "cursor",
  "windsurf",
  "zed",
  "gemini",
  "codex",
] as const;

export type McpClientApp = (typeof mcpClientApps)[number];

/** `project` is shared by all who work in a folder; `local` is one person's, for one folder. */
export type DiscoveryScope = "project" | "local" | "user";

export interface DiscoverySource {
  readonly client: McpClientApp;
  readonly file: string;
  readonly scope: DiscoveryScope;
  /** What the file calls the server. */
  readonly name: string;
  /** The folder it is meant for, where it is not for all. */
  readonly project?: string;
}

/** A server that some program of this machine is set up with. Nobody started it, and no value of a secret is in it. */
export interface DiscoveredServer {
  /** Unique among those that were found, and fit to be an id of ours. */
  readonly id: string;
  readonly from: DiscoverySource;
  /** With placeholders as the file has them, and names of secrets where it has values. Missing where it makes no sense. */
  readonly config: NamedMcpServer | undefined;
  /** Why it cannot be used as it stands, or what of it is left behind. */
  readonly problems: readonly string[];
  /** The command line or URL, with nothing hidden but what looks like a secret. */
  readonly shown: string;
  /** Names of placeholders that somebody has to fill in. */
  readonly needsInput: readonly string[];
}
