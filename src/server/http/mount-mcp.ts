import { type WebSocket, WebSocketServer } from "ws";
import { type McpFetchOptions, mcpFetch } from "../gateway/http.ts";
import type { Served } from "../gateway/served.ts";
import { serveSocket } from "../gateway/socket.ts";
import { WebSocketServerTransport } from "../gateway/transport/websocket-server.ts";
import { readRequestLine } from "../gateway/wire/read-request.ts";
import { subprotocol } from "../mcp/client/transport/websocket-wire.ts";
import type { HostOptions, SocketVisit } from "./host-options.ts";
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
    mcp: {
      fetch: mcp.fetch,
      awaits: mcp.awaits,
      close: mcp.close,
      activeCalls: () => mcp.activeCalls,
    },
    upgrade: (request, socket, head, principal, visit) => {
      const { maxBodyBytes } = visit;
      const acceptor = acceptors.get(maxBodyBytes) ?? acceptorOf(maxBodyBytes);
      acceptors.set(maxBodyBytes, acceptor);
      let isAccepted = false;
      acceptor.handleUpgrade(request, socket, head, (accepted) => {
        isAccepted = true;
        const close = loggedClose(accepted, visit);
        const transport = new WebSocketServerTransport(accepted, {
          maxMessageBytes: maxBodyBytes,
          read: readRequestLine,
          close,
        });
        const { transport: guarded, hold } = guardedTransport(transport, visit, {
          close,
          pause: () => accepted.pause(),
          resume: () => accepted.resume(),
        });
        serveSocket(served, principal, guarded, { gateway: mcp.gateway, hold });
      });
      // Its client left between the checks and the answer.
      if (!isAccepted) visit.closed(brokenOff);
    },
  };
};

const tooBig = 1009;
/** RFC 6455: closed without a word. */
const brokenOff = 1006;

/** Closes a socket, and logs the code that this side closed it with; the other side need not repeat it. */
const loggedClose = (socket: WebSocket, visit: SocketVisit): ((code: number, reason: string) => void) => {
  let ours: number | undefined;
  socket.once("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") ours = tooBig;
  });
  socket.once("close", (code) => visit.closed(ours ?? code));
  return (code, reason) => {
    ours = code;
    socket.close(code, reason);
  };
};
