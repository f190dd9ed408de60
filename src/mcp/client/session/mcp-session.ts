import type { McpServerState, McpSession, McpSessionRequest } from "../../../types/mcp.ts";
import { sanitizeUntrustedText } from "../transport/sanitize-foreign-text.ts";
import { listRemoteTools } from "./list-tools.ts";
import { sendRequest } from "./request/send-request.ts";
import { ChangeListener } from "./resource-listener.ts";
import type { ServerConnection } from "./server-connection.ts";
import { toSessionError } from "./session-errors.ts";
import type { SessionNotifications } from "./session-notifications.ts";

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

export const createMcpSession = (
  connection: ServerConnection,
  notifications: SessionNotifications,
): McpSession => {
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
