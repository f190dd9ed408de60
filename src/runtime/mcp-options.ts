import { fileTokenStore } from "../base/credentials/oauth/file-token-store.ts";
import type { TokenStore } from "../base/credentials/oauth/token-store.ts";
import type { McpCaller, McpServer, NamedMcpServer } from "../types/mcp.ts";
import type { Principal } from "../types/principal.ts";

/** MCP servers of a runtime, and their review and authorization. */
export interface McpOptions {
  /** Servers by id, which prefixes their tools: `files` makes `files/read_file`. */
  readonly servers?: Readonly<Record<string, McpServer>>;
  /**
   * Lock file with the reviewed tools; tools that differ from it are quarantined. `false` uses no file.
   * Unless set: `haft.lock`.
   */
  readonly lock?: string | false;
  /**
   * Called before a server is connected. A returned reason refuses the server; only operators read it. Unless
   * set: no server is refused.
   */
  readonly refuse?: (server: NamedMcpServer) => string | undefined;
  /** Answers requests of servers during calls of this process. Unless set: they are rejected. */
  readonly ask?: NonNullable<McpCaller["ask"]>;
  /** Receives the sign-in URL of a server. Unless set: the call fails with the URL. */
  readonly onSignIn?: (server: NamedMcpServer, url: URL, principal: Principal | undefined) => void;
  /** `host:port` of authorization servers in private networks. Unless set: none. */
  readonly allow?: readonly string[];
  /** Token store of remote servers. Unless set: in memory. */
  readonly tokens?: McpTokenStore;
  /**
   * Writes large results to files; `false` returns them whole. Unless set: over 64 KiB, to a temporary
   * folder.
   */
  readonly truncateToFile?: { readonly directory?: string; readonly overBytes?: number } | false;
  /**
   * How long opening the runtime waits for servers; slower ones are added later. Unless set:
   * `config.mcp.connectionTimeoutMs`.
   */
  readonly waitMs?: number;
}

/** Token store for MCP servers, the same type that tools use. */
export type McpTokenStore = TokenStore;

/** Keeps tokens in a directory that only the user can read. Processes on one machine can share it. */
export const fileMcpTokens = (directory: string): McpTokenStore => fileTokenStore(directory);
