import { WebSocketServer } from "ws";
import { type McpFetchOptions, mcpFetch } from "../gateway/http.ts";
import type { Served } from "../gateway/served.ts";
import { serveSocket } from "../gateway/socket.ts";
import { WebSocketServerTransport } from "../gateway/transport/websocket-server.ts";
import { readRequestLine } from "../gateway/wire/read-request.ts";
import { subprotocol } from "../mcp/client/transport/websocket-wire.ts";
import type { HostOptions } from "./host-options.ts";

export interface MountOptions extends McpFetchOptions {
  readonly path?: string;
}

/** One endpoint: HTTP for clients of both eras, and WebSocket under the same path. */
export const mountMcp = (
  served: Served,
  options: MountOptions = {},
): Required<Pick<HostOptions, "mcp" | "upgrade">> => {
  const { path = "/mcp", maxBodyBytes: maxPayload = 4 * 1024 * 1024 } = options;
  const mcp = mcpFetch(served, options);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  return {
    mcp: { fetch: mcp.fetch, close: mcp.close, activeCalls: () => mcp.activeCalls },
    upgrade: (request, socket, head, principal) => {
      if (request.url?.split("?", 1)[0] !== path) {
        socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        const transport = new WebSocketServerTransport(accepted, {
          maxMessageBytes: maxPayload,
          read: readRequestLine,
        });
        serveSocket(served, principal, transport, { gateway: mcp.gateway });
      });
    },
  };
};
