import { type WebSocket, WebSocketServer } from "ws";
import { subprotocol } from "../../mcp/client/transport/websocket-connection.ts";
import type { GatewayBackend } from "../gateway/gateway-backend.ts";
import { createMcpFetch, type McpFetchOptions } from "../gateway/mcp-fetch.ts";
import { serveSocket } from "../gateway/serve-socket.ts";
import { WebSocketServerTransport } from "../gateway/transport/websocket-server.ts";
import { readRequestLine } from "../gateway/wire/read-request.ts";
import { guardTransport } from "./guarded-transport.ts";
import type { HostOptions, SocketContext } from "./host-options.ts";

const createAcceptor = (maxPayload: number): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    maxPayload,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });

export const mountMcp = (
  backend: GatewayBackend,
  options: McpFetchOptions = {},
): Required<Pick<HostOptions, "mcp" | "upgrade">> => {
  const mcp = createMcpFetch(backend, options);
  const acceptors = new Map<number, WebSocketServer>();
  return {
    mcp,
    upgrade: (request, socket, head, context) => {
      const { maxBodyBytes, principal } = context;
      const acceptor = acceptors.get(maxBodyBytes) ?? createAcceptor(maxBodyBytes);
      acceptors.set(maxBodyBytes, acceptor);
      let isAccepted = false;
      acceptor.handleUpgrade(request, socket, head, (accepted) => {
        isAccepted = true;
        const close = closeWithLog(accepted, context);
        const transport = new WebSocketServerTransport(accepted, {
          maxMessageBytes: maxBodyBytes,
          read: readRequestLine,
          close,
        });
        const { transport: guarded, hold } = guardTransport(transport, context, {
          close,
          pause: () => accepted.pause(),
          resume: () => accepted.resume(),
        });
        serveSocket(backend, principal, guarded, { gateway: mcp.gateway, hold });
      });
      // The client disconnected during the handshake.
      if (!isAccepted) context.closed(abnormalClosureCode);
    },
  };
};

const messageTooBigCode = 1009;
/** RFC 6455: no close frame. */
const abnormalClosureCode = 1006;

/** Logs the local close code, which the other side need not repeat. */
const closeWithLog = (
  socket: WebSocket,
  context: SocketContext,
): ((code: number, reason: string) => void) => {
  let localCode: number | undefined;
  socket.once("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") localCode = messageTooBigCode;
  });
  socket.once("close", (code) => context.closed(localCode ?? code));
  return (code, reason) => {
    localCode = code;
    socket.close(code, reason);
  };
};
