import type { FailureFacts } from "../../../words/failure.ts";
import { isStdio, type McpServerState, type NamedServer } from "../../../words/mcp.ts";

/** How a server is spoken to, as far as its configuration says. */
export const transportOf = (server: NamedServer): McpServerState["transport"] => {
  if (isStdio(server)) return "stdio";
  if (server.transport !== undefined) return server.transport;
  return server.url.startsWith("ws") ? "websocket" : "http";
};

/** Which server a failure is about, where there is no connection that knows better. */
export const factsOf = (server: NamedServer): FailureFacts => ({
  serverName: server.id,
  transport: transportOf(server),
});
