import type { McpTokenStore } from "../mcp/client/auth/token-store.ts";
import type { McpCaller, McpServer, NamedMcpServer } from "../types/mcp.ts";
import type { Principal } from "../types/principal.ts";

/** Which MCP servers a runtime has, how they are held to their lock, and who answers their questions. */
export interface McpOptions {
  /** By the id under which their tools are known here: `files` makes `files/read_file`. */
  readonly servers?: Readonly<Record<string, McpServer>>;
  /**
   * The file with the definitions that somebody reviewed. Where it is, whatever differs from it is held back; where
   * none is, whatever changes while the process runs. `false` looks for none. Unless set: `haft.lock`.
   */
  readonly lock?: string | false;
  /**
   * Called before a server is started or reached, and before each of its tools is offered again. A returned sentence
   * refuses the server; operators read it, models do not. Unless set: no server is refused.
   */
  readonly refuse?: (server: NamedMcpServer) => string | undefined;
  /** Answers what servers ask in the middle of a call that was made in this process. Unless set: nobody answers. */
  readonly ask?: NonNullable<McpCaller["ask"]>;
  /** Told where a person signs in to a server. Unless set: a call of such a server fails with the address. */
  readonly onSignIn?: (server: NamedMcpServer, url: URL, principal: Principal | undefined) => void;
  /** `host:port` of authorization services in the operator's own network. Unless set: none. */
  readonly allow?: readonly string[];
  /** Where tokens for remote servers are kept. Unless set: in memory. */
  readonly tokens?: McpTokenStore;
  /**
   * Where results go that are too large for a conversation; `false` hands them on whole. Unless set: over 64 KiB, to a
   * folder of the system for temporary files.
   */
  readonly truncateToFile?: { readonly directory?: string; readonly overBytes?: number } | false;
  /** How long opening a runtime waits for its servers; those that are slower come later. Unless set: `config.mcp.connectionTimeoutMs`. */
  readonly waitMs?: number;
}
