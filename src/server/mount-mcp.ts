import { WebSocketServer } from "ws";
import { type McpFetchOptions, mcpFetch } from "../gateway/http.ts";
import type { Served } from "../gateway/served.ts";
import { serveSocket } from "../gateway/socket.ts";
import { WebSocketServerTransport } from "../gateway/transport/websocket-server.ts";
import { readRequestLine } from "../gateway/wire/read-request.ts";
import { subprotocol } from "../mcp/client/transport/websocket-wire.ts";
import type { HostOptions } from "./host-options.ts";
import { guardedTransport } from "./socket/guarded-transport.ts";

/** What a socket is told is the host's to say, so that its limits are those of every request. */
const acceptorOf = (maxPayload: number): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    maxPayload,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });

/** One endpoint: HTTP for clients of both eras, and WebSocket under the same path. */
export const mountMcp = (
  served: Served,
  options: McpFetchOptions = {},
): Required<Pick<HostOptions, "mcp" | "upgrade">> => {
  const mcp = mcpFetch(served, options);
  const acceptors = new Map<number, WebSocketServer>();
  return {
    mcp: { fetch: mcp.fetch, close: mcp.close, activeCalls: () => mcp.activeCalls },
    upgrade: (request, socket, head, principal, visit) => {
      const { maxBodyBytes } = visit;
      const acceptor = acceptors.get(maxBodyBytes) ?? acceptorOf(maxBodyBytes);
      acceptors.set(maxBodyBytes, acceptor);
      acceptor.handleUpgrade(request, socket, head, (accepted) => {
        accepted.once("close", visit.closed);
        const transport = new WebSocketServerTransport(accepted, {
          maxMessageBytes: maxBodyBytes,
          read: readRequestLine,
        });
        const guarded = guardedTransport(transport, visit, {
          close: (code, reason) => accepted.close(code, reason),
          pause: () => accepted.pause(),
          resume: () => accepted.resume(),
        });
        serveSocket(served, principal, guarded, { gateway: mcp.gateway });
      });
    },
  };
};
