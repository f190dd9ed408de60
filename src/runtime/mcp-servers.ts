import { ToolCancelledError } from "../types/errors.ts";
import type { McpServerState, NamedMcpServer } from "../types/mcp.ts";
import type { Principal } from "../types/principal.ts";
import type { McpServices } from "./mcp-services.ts";

/** The MCP servers of a runtime. */
export interface McpServers {
  /** Connects a server and imports its tools. Rejects if it cannot connect now. */
  readonly connect: (server: NamedMcpServer) => Promise<McpServerState>;
  /**
   * Disconnects a server, stops its processes and unregisters its tools; it stays in the list. False if it
   * does not exist.
   */
  readonly disconnect: (id: string) => Promise<boolean>;
  /** Disconnects a server and removes it from the list. False if it does not exist. */
  readonly remove: (id: string) => Promise<boolean>;
  readonly list: () => readonly McpServerState[];
  /** Starts and finishes an OAuth sign-in at a server. */
  readonly beginSignIn: (id: string, principal?: Principal) => Promise<{ readonly url: string }>;
  readonly finishSignIn: (id: string, answer: string, principal?: Principal) => Promise<void>;
}

export interface RuntimeMcpServers extends McpServers {
  readonly open: () => Promise<McpServices>;
  readonly close: () => Promise<void>;
}

export const runtimeMcpServers = (load: () => Promise<McpServices>): RuntimeMcpServers => {
  let services: McpServices | undefined;
  let loading: Promise<McpServices> | undefined;
  let isClosed = false;
  const open = (): Promise<McpServices> => {
    // A runtime that is closed must not start servers.
    if (isClosed && loading === undefined) return Promise.reject(mcpServersClosedError());
    loading ??= load().then((opened) => {
      services = opened;
      return opened;
    });
    return loading;
  };
  return {
    open,
    connect: async (server) => (await open()).connect(server),
    disconnect: async (id) => (loading === undefined ? false : (await loading).disconnect(id)),
    remove: async (id) => (loading === undefined ? false : (await loading).remove(id)),
    list: () => services?.list() ?? [],
    beginSignIn: async (...asked) => (await open()).beginSignIn(...asked),
    finishSignIn: async (...asked) => (await open()).finishSignIn(...asked),
    close: async () => {
      isClosed = true;
      // The caller of `open` has already received the error.
      await (await loading?.catch(() => undefined))?.close();
    },
  };
};

const mcpServersClosedError = (): ToolCancelledError =>
  new ToolCancelledError("cancelled", "The runtime is closed, so its MCP servers are disconnected.", {
    ran: false,
  });
