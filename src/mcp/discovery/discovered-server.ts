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

/** `project` is shared by everyone in a folder; `local` is one user's setting for one folder. */
export type DiscoveryScope = "project" | "local" | "user";

export interface DiscoverySource {
  readonly client: McpClientApp;
  readonly file: string;
  readonly scope: DiscoveryScope;
  readonly name: string;
  readonly project?: string;
}

/** A server that a program on this machine configures. It contains no secret values. */
export interface DiscoveredServer {
  /** Unique and valid as a Haft server id. */
  readonly id: string;
  readonly from: DiscoverySource;
  /** The configuration with placeholders, and secret names instead of values. Missing if invalid. */
  readonly config: NamedMcpServer | undefined;
  /** Why it cannot be used as it is, or what was left out. */
  readonly problems: readonly string[];
  /** The command line or URL with probable secrets masked. */
  readonly shown: string;
  /** Names of placeholders that need a value. */
  readonly needsInput: readonly string[];
}
