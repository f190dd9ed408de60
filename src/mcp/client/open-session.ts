import { type Client, type JSONRPCMessage, SdkHttpError } from "@modelcontextprotocol/client";
import { type ToolError, toError } from "../../types/errors.ts";
import type {
  McpServerState,
  McpSession,
  McpSessionRequest,
  McpSessionServices,
  NamedMcpServer,
} from "../../types/mcp.ts";
import { connectServer, type OpenedClient } from "./session/connect/connect-server.ts";
import { type PreparedTransport, prepareTransport } from "./session/connect/prepare-transport.ts";
import { listRemoteTools } from "./session/list-tools.ts";
import { wrapResult } from "./session/request/request-deadline.ts";
import { sendRequest } from "./session/request/send-request.ts";
import {
  ChangeListener,
  forwardServerNotifications,
  SessionNotifications,
} from "./session/resource-listener.ts";
import { ActiveCallers, type ServerConnection } from "./session/server-connection.ts";
import { handleServerRequests } from "./session/server-requests.ts";
import {
  type McpRequestInfo,
  requestCancelledError,
  serverUnreachableError,
  toSessionError,
} from "./session/session-errors.ts";
import { sanitizeUntrustedText } from "./transport/sanitize-foreign-text.ts";
import type { ServerTransport } from "./transport/server-transport.ts";

const maxTimerMs = 2_147_483_647;

/** A legacy server answers the new transport with any 4xx status except these. */
const isLegacyTransportError = (error: unknown): boolean =>
  error instanceof SdkHttpError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 403, 407, 408, 429].includes(error.status);

interface SessionAttempt {
  readonly opening: PreparedTransport;
  readonly server: NamedMcpServer;
  readonly timeoutMs: number;
  readonly protocolVersion: string | undefined;
  readonly prepare: (client: Client, wire: ServerTransport) => void;
  readonly onWire: (wire: ServerTransport) => void;
}

const connectWithFallback = async (attempt: SessionAttempt): Promise<OpenedClient> => {
  const { opening: transports, timeoutMs } = attempt;
  // The old transport supports only the legacy era.
  const server = transports.isLegacyTransport
    ? { ...attempt.server, era: "legacy" as const }
    : attempt.server;
  const until = Date.now() + timeoutMs;
  const connecting = {
    ...attempt,
    server,
    connectTimeoutMs: timeoutMs,
    remainingMs: () => Math.max(1, until - Date.now()),
    openWire: transports.open,
    isHttp: transports.isHttp,
  };
  try {
    return await connectServer(connecting);
  } catch (error) {
    if (transports.openLegacy === undefined || !isLegacyTransportError(error)) throw error;
    const old = {
      ...connecting,
      openWire: transports.openLegacy,
      server: { ...server, era: "legacy" as const },
    };
    return connectServer(old).catch(() => {
      throw error;
    });
  }
};

/** Rejects on timeout or abort without waiting for `work`. */
const withinTime = (
  work: Promise<OpenedClient>,
  info: McpRequestInfo,
  end: () => void,
  signal: AbortSignal | undefined,
): Promise<OpenedClient> =>
  new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const give = (error: ToolError) =>
      settle(() => {
        end();
        reject(error);
      });
    const onAbort = () => give(requestCancelledError(info, false));
    const timer = setTimeout(
      () => give(connectTimeoutError(info)),
      Math.min(info.timeoutMs as number, maxTimerMs),
    );
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    work.then(
      (connection) => settle(() => resolve(connection)),
      (error) => settle(() => reject(error)),
    );
  });

const connectTimeoutError = (asked: McpRequestInfo): ToolError =>
  serverUnreachableError(asked, `it did not connect within ${asked.timeoutMs} ms`, {
    ran: false,
    timeoutMs: asked.timeoutMs,
  });

export const openSession = async (
  server: NamedMcpServer,
  services: McpSessionServices,
): Promise<McpSession> => {
  const timeoutMs = server.connectTimeoutMs ?? services.connectTimeoutMs;
  const { signal } = services;
  const callers = new ActiveCallers();
  const notifications = new SessionNotifications();
  let wire: ServerTransport | undefined;
  let isCancelled = false;
  let mask = (text: string): string => text;
  const info: McpRequestInfo = {
    id: server.id,
    method: "the connection",
    signal,
    timeoutMs,
    get wire() {
      return wire;
    },
    mask: (text) => mask(text),
  };
  if (signal?.aborted === true) throw requestCancelledError(info, false);
  const onTransport = (opened: ServerTransport): void => {
    wire = opened;
    // The attempt was cancelled while the transport opened.
    if (isCancelled) void opened.close();
    opened.onWarning = (message) => notifications.emit({ kind: "trouble", message: mask(message) });
  };
  const prepare = (client: Client): void => {
    handleServerRequests(client, callers);
    forwardServerNotifications(client, notifications, callers);
  };
  const dial = async (): Promise<OpenedClient> => {
    const transports = await prepareTransport(server, services);
    mask = transports.mask;
    return connectWithFallback({
      opening: transports,
      server,
      timeoutMs,
      protocolVersion: services.protocolVersion,
      prepare,
      onWire: onTransport,
    });
  };
  try {
    const cancelAttempt = () => {
      isCancelled = true;
      void wire?.close();
    };
    const connection = await withinTime(dial(), info, cancelAttempt, signal);
    const isModern = connection.client.getProtocolEra() === "modern";
    const onModern: NonNullable<ServerTransport["onInspect"]> = (message) => {
      assumeComplete(message);
      wrapResult(message);
    };
    connection.wire.onInspect = isModern ? onModern : undefined;
    const opened: ServerConnection = {
      id: server.id,
      client: connection.client,
      wire: connection.wire,
      isModern,
      callers,
      callTimeoutMs: server.callTimeoutMs ?? services.callTimeoutMs,
      mask,
      tools: new Map(),
    };
    return createMcpSession(opened, notifications);
  } catch (error) {
    const known = toSessionError(error, info);
    // No tool was called yet.
    const { claimsNotRun: _, answerLost: __, ...failure } = known.failure;
    throw failure.ran === true ? toError({ ...failure, ran: false }) : known;
  }
};

const maxInstructionsLength = 100_000;

const serverInfoOf = ({ client }: ServerConnection): McpServerState["serverInfo"] => {
  const info = client.getServerVersion();
  if (info === undefined) return undefined;
  const { name, version, title } = info;
  return {
    name: sanitizeUntrustedText(name),
    version: sanitizeUntrustedText(version),
    ...(title === undefined ? {} : { title: sanitizeUntrustedText(title) }),
  };
};

/** The modern era replaces subscriptions with a listen stream. */
const changeSubscription = (
  subscriptions: ChangeListener,
  { method, params }: McpSessionRequest,
): boolean => {
  const uri = params?.uri;
  if (typeof uri !== "string") return false;
  if (method === "resources/subscribe") subscriptions.add(uri);
  else if (method === "resources/unsubscribe") subscriptions.remove(uri);
  else return false;
  return true;
};

const createMcpSession = (connection: ServerConnection, notifications: SessionNotifications): McpSession => {
  const { client, wire, isModern } = connection;
  const subscriptions = isModern ? new ChangeListener(client, notifications) : undefined;
  let isClosed = false;
  const onClosed = () => {
    if (isClosed) return;
    isClosed = true;
    subscriptions?.close();
    notifications.emit({ kind: "closed", reason: wire.fault?.reason ?? "the connection was closed" });
  };
  client.onclose = onClosed;
  // The connection may have been lost since the handshake.
  if (wire.fault !== undefined) onClosed();
  subscriptions?.start();
  return Object.freeze({
    era: isModern ? "modern" : "legacy",
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    serverInfo: serverInfoOf(connection),
    capabilities: (client.getServerCapabilities() ?? {}) as Readonly<Record<string, unknown>>,
    instructions: client.getInstructions()?.slice(0, maxInstructionsLength),
    transport: wire.kind,
    ...(wire.pid === undefined ? {} : { pid: wire.pid }),
    listTools: (signal) => listRemoteTools(connection, signal),
    request: (request) =>
      subscriptions !== undefined && changeSubscription(subscriptions, request)
        ? Promise.resolve({})
        : sendRequest(connection, request),
    notify: async (method, params) => {
      try {
        await client.notification(params === undefined ? { method } : { method, params });
      } catch (error) {
        throw toSessionError(error, { id: connection.id, method, wire, mask: connection.mask });
      }
    },
    onNews: (listener) => notifications.on(listener),
    close: async () => {
      subscriptions?.close();
      try {
        await client.close();
      } catch {}
      await wire.close().catch(() => {});
      onClosed();
    },
  } satisfies McpSession);
};

/** The SDK refuses modern results without `resultType`. */
export const assumeComplete = (message: JSONRPCMessage): void => {
  if (!("result" in message) || message.result.resultType !== undefined) return;
  message.result.resultType = "complete";
};
