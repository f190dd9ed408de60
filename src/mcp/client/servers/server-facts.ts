import type { FailureFacts } from "../../../types/failure.ts";
import { isStdioServer, type McpServerState, type NamedMcpServer } from "../../../types/mcp.ts";

/** How a server is spoken to, as far as its configuration says. */
export const serverTransportOf = (server: NamedMcpServer): McpServerState["transport"] => {
  if (isStdioServer(server)) return "stdio";
  if (server.transport !== undefined) return server.transport;
  return server.url.startsWith("ws") ? "websocket" : "http";
};

/** Which server a failure is about, where there is no connection that knows better. */
export const serverFactsOf = (server: NamedMcpServer): FailureFacts => ({
  serverName: server.id,
  transport: serverTransportOf(server),
});
