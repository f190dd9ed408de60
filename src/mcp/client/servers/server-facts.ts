import type { FailureFacts } from "../../../types/failure.ts";
import { isStdioServer, type McpServerState, type NamedMcpServer } from "../../../types/mcp.ts";

export const serverTransportOf = (server: NamedMcpServer): McpServerState["transport"] => {
  if (isStdioServer(server)) return "stdio";
  if (server.transport !== undefined) return server.transport;
  return server.url.startsWith("ws") ? "websocket" : "http";
};

export const serverFactsOf = (server: NamedMcpServer): FailureFacts => ({
  serverName: server.id,
  transport: serverTransportOf(server),
});
