import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { type WebSocket, WebSocketServer } from "ws";
import { subprotocol } from "../../mcp/client/transport/websocket-connection.ts";
import type { HoldSlot } from "../gateway/client-connection.ts";
import type { GatewayBackend } from "../gateway/gateway-backend.ts";
import { createMcpFetch, type McpFetchOptions } from "../gateway/mcp-fetch.ts";
import { cancelledId, duplicateIdError, trackClientRequests } from "../gateway/serve-connection.ts";
import { serveSocket } from "../gateway/serve-socket.ts";
import { WebSocketServerTransport } from "../gateway/transport/websocket-server.ts";
import { toErrorMessage } from "../gateway/wire/malformed-message.ts";
import { kindOfMessage, readRequestLine } from "../gateway/wire/read-request.ts";
import { HttpError, toRpcError } from "../request/http-error.ts";
import type { AdmittedMessage, HostOptions, SocketContext } from "./host-options.ts";
import type { SlotRequest } from "./host-state.ts";

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

interface SocketControl {
  readonly close: (code: number, reason: string) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

interface MalformedAwareTransport extends Transport {
  onmalformed?: (answer: JSONRPCMessage) => void;
}

interface GuardedTransport {
  readonly transport: Transport;
  readonly hold: HoldSlot;
}

type QueuedMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage; readonly extra: unknown }
  | { readonly kind: "malformed"; readonly answer: JSONRPCMessage };

interface OpenSocketRequest {
  readonly answered: (status: number) => void;
  readonly hold: AdmittedMessage["hold"];
}

/** As in nginx: the client closed early. */
const clientClosedRequestStatus = 499;
/** Above this, reading pauses. */
const maxQueuedMessages = 16;
/** Close frames have at most 125 bytes. */
const maxCloseReasonBytes = 120;

const badRequestStatus = 400;

const ignoreHold = (): void => {};

const methodOf = (message: JSONRPCMessage): string => ("method" in message ? message.method : "response");

const toRefusal = (message: JSONRPCMessage, error: HttpError): JSONRPCMessage =>
  toErrorMessage(toRpcError(error), isJSONRPCRequest(message) ? message.id : null);

/** RFC 6455: 1008 for invalid tokens, 1012 if the client may reconnect. Limits and draining keep the socket open. */
const closeCodes: Readonly<Record<number, number>> = { 401: 1008, 403: 1008, 409: 1012, 500: 1011 };

/**
 * Applies the checks of HTTP requests to every message. If the caller is no longer valid, the socket closes
 * after its running calls.
 */
export const guardTransport = (
  inner: MalformedAwareTransport,
  context: SocketContext,
  control: SocketControl,
): GuardedTransport => {
  const open = new Map<unknown, OpenSocketRequest>();
  const clientRequests = trackClientRequests();
  /** Without streams. */
  const calls = new Set<unknown>();
  const queue: QueuedMessage[] = [];
  let isAdmitting = false;
  let isClosed = false;
  let ending: HttpError | undefined;
  let drainTimer: NodeJS.Timeout | undefined;

  const answered = (id: unknown, status: number): void => {
    const request = open.get(id);
    if (request === undefined) return;
    open.delete(id);
    calls.delete(id);
    request.answered(status);
    if (ending !== undefined && calls.size === 0) finish(ending);
  };
  const outer: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    send: async (message, options) => {
      clientRequests.onSend(message);
      try {
        await inner.send(message, options);
      } finally {
        if (!("method" in message)) answered(message.id, 200);
      }
    },
  };

  const finish = ({ status, message }: HttpError): void => {
    clearTimeout(drainTimer);
    control.close(
      closeCodes[status] ?? 1000,
      Buffer.from(message).subarray(0, maxCloseReasonBytes).toString(),
    );
  };
  const end = (why: HttpError): void => {
    if (ending !== undefined) return;
    ending = why;
    if (calls.size === 0) finish(why);
    else drainTimer = setTimeout(() => finish(why), context.drainMs).unref();
  };

  /** Undefined if rejected, or if the socket has ended. */
  const admit = async (
    method: string,
    slot: SlotRequest,
    message: JSONRPCMessage,
  ): Promise<AdmittedMessage | undefined> => {
    const verdict = ending ?? (await context.admit(method, slot));
    // The socket may have ended meanwhile.
    const late = isClosed ? clientClosedRequestStatus : ending?.status;
    if (!(verdict instanceof HttpError) && late !== undefined) verdict.answered(late);
    if (isClosed) return undefined;
    const admitted = ending ?? verdict;
    if (!(admitted instanceof HttpError)) return admitted;
    await inner.send(toRefusal(message, admitted)).catch(() => {});
    if (admitted.status in closeCodes) end(admitted);
    return undefined;
  };
  const refuseMalformed = async (answer: JSONRPCMessage): Promise<void> => {
    const admitted = await admit("?", { kind: "note" }, answer);
    if (admitted === undefined) return;
    // The ID belongs to a running request.
    const isDuplicateId = "id" in answer && open.has(answer.id);
    await inner.send(isDuplicateId ? ({ ...answer, id: null } as never) : answer).catch(() => {});
    admitted.answered(badRequestStatus);
  };
  const admitMessage = async (message: JSONRPCMessage, extra: unknown): Promise<void> => {
    const isAwaited = open.has(cancelledId(message)) || clientRequests.isAnswer(message);
    const asked = { kind: kindOfMessage(message), isAwaited };
    const admitted = await admit(methodOf(message), asked, message);
    if (admitted === undefined) return;
    if (!isJSONRPCRequest(message)) admitted.answered(202);
    else if (open.has(message.id)) {
      await inner.send(toErrorMessage(duplicateIdError)).catch(() => {});
      return admitted.answered(badRequestStatus);
    } else {
      open.set(message.id, { answered: admitted.answered, hold: admitted.hold });
      if (asked.kind !== "standing") calls.add(message.id);
    }
    clientRequests.onReceive(message);
    // Canceled requests get no response.
    answered(cancelledId(message), clientClosedRequestStatus);
    outer.onmessage?.(message, extra as Parameters<NonNullable<Transport["onmessage"]>>[1]);
  };
  const admitQueued = async (): Promise<void> => {
    isAdmitting = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (queue.length === maxQueuedMessages - 1) control.resume();
      const taken =
        next.kind === "message" ? admitMessage(next.message, next.extra) : refuseMalformed(next.answer);
      await taken.catch((error: Error) => outer.onerror?.(error));
    }
    isAdmitting = false;
  };

  const enqueue = (arrival: QueuedMessage): void => {
    queue.push(arrival);
    if (queue.length === maxQueuedMessages) control.pause();
    if (!isAdmitting) void admitQueued();
  };

  inner.onmessage = (message, extra) => enqueue({ kind: "message", message, extra });
  inner.onmalformed = (answer) => enqueue({ kind: "malformed", answer });
  inner.onerror = (error) => outer.onerror?.(error);
  inner.onclose = () => {
    isClosed = true;
    clearTimeout(drainTimer);
    queue.length = 0;
    for (const id of [...open.keys()]) answered(id, clientClosedRequestStatus);
    outer.onclose?.();
  };
  context.onEnd(end);
  return { transport: outer, hold: (id) => open.get(id)?.hold?.() ?? ignoreHold };
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
