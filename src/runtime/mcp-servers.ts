import { ToolCancelledError } from "../types/errors.ts";
import type { McpServerState, NamedMcpServer } from "../types/mcp.ts";
import type { Principal } from "../types/principal.ts";
import type { McpServices } from "./mcp-services.ts";

/** MCP servers whose tools this runtime has. */
export interface McpServers {
  /** Starts or reaches a server and takes its tools over. Rejects where that cannot be done now. */
  readonly connect: (server: NamedMcpServer) => Promise<McpServerState>;
  /**
   * Ends the connection and whatever was started for it; its tools leave. It stays in the list as disconnected, until it
   * is connected again or removed. False where there is no such server.
   */
  readonly disconnect: (id: string) => Promise<boolean>;
  /** Disconnects it where it is connected, and takes it out of the list. False where it was in none. */
  readonly remove: (id: string) => Promise<boolean>;
  readonly list: () => readonly McpServerState[];
  /** Where a person gives this runtime's caller a right at a server, and what the browser comes back with. */
  readonly beginSignIn: (id: string, principal?: Principal) => Promise<{ readonly url: string }>;
  readonly finishSignIn: (id: string, answer: string, principal?: Principal) => Promise<void>;
}

export interface RuntimeMcpServers extends McpServers {
  /** Everything there is behind the door, loaded when it is first needed. */
  readonly open: () => Promise<McpServices>;
  readonly close: () => Promise<void>;
}

export const runtimeMcpServers = (load: () => Promise<McpServices>): RuntimeMcpServers => {
  let services: McpServices | undefined;
  let loading: Promise<McpServices> | undefined;
  let isClosed = false;
  const open = (): Promise<McpServices> => {
    // Nobody would end what is started now.
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
      // What could not be opened has said so to whoever wanted it.
      await (await loading?.catch(() => undefined))?.close();
    },
  };
};

const mcpServersClosedError = (): ToolCancelledError =>
  new ToolCancelledError("cancelled", "The runtime is closed: no MCP server is connected any more.", {
    ran: false,
  });
