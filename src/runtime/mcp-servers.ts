import { ToolCancelledError } from "../words/errors.ts";
import type { McpServerState, NamedServer } from "../words/mcp.ts";
import type { Principal } from "../words/principal.ts";
import type { McpServices } from "./mcp.ts";

/** MCP servers whose tools this runtime has. */
export interface McpDoor {
  /** Starts or reaches a server and takes its tools over. Rejects where that cannot be done now. */
  readonly connect: (server: NamedServer) => Promise<McpServerState>;
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

export interface OwnMcpDoor extends McpDoor {
  /** Everything there is behind the door, loaded when it is first needed. */
  readonly open: () => Promise<McpServices>;
  readonly close: () => Promise<void>;
}

export const mcpDoor = (load: () => Promise<McpServices>): OwnMcpDoor => {
  let services: McpServices | undefined;
  let loading: Promise<McpServices> | undefined;
  let isClosed = false;
  const open = (): Promise<McpServices> => {
    // Nobody would end what is started now.
    if (isClosed && loading === undefined) return Promise.reject(over());
    loading ??= load().then((opened) => {
      services = opened;
      return opened;
    });
    return loading;
  };
  return {
    open,
    connect: async (server) => (await open()).connect(server),
    disconnect: async (id) => (services === undefined ? false : services.disconnect(id)),
    remove: async (id) => (services === undefined ? false : services.remove(id)),
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

const over = (): ToolCancelledError =>
  new ToolCancelledError("cancelled", "The runtime is closed: no MCP server is connected any more.", {
    ran: false,
  });
