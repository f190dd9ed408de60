import type { McpServerState, McpSession, SessionRequest } from "../../../words/mcp.ts";
import { foreignWords } from "../transport/foreign-words.ts";
import { listTools } from "./list-tools.ts";
import type { SessionNewsHub } from "./news.ts";
import { sendRequest } from "./request/send-request.ts";
import type { ServerConnection } from "./server-connection.ts";
import { toSessionError } from "./session-failure.ts";
import { Subscriptions } from "./subscriptions.ts";

const longestInstructions = 100_000;

const serverInfoOf = ({ client }: ServerConnection): McpServerState["serverInfo"] => {
  const info = client.getServerVersion();
  if (info === undefined) return undefined;
  const { name, version, title } = info;
  return {
    name: foreignWords(name),
    version: foreignWords(version),
    ...(title === undefined ? {} : { title: foreignWords(title) }),
  };
};

/** In the modern era one listens to a resource instead of subscribing to it; whoever subscribes need not know. */
const subscribing = (subscriptions: Subscriptions, { method, params }: SessionRequest): boolean => {
  const uri = params?.uri;
  if (typeof uri !== "string") return false;
  if (method === "resources/subscribe") subscriptions.add(uri);
  else if (method === "resources/unsubscribe") subscriptions.remove(uri);
  else return false;
  return true;
};

export const toSession = (connection: ServerConnection, news: SessionNewsHub): McpSession => {
  const { client, wire, isModern } = connection;
  const subscriptions = isModern ? new Subscriptions(client, news) : undefined;
  let isClosed = false;
  const onClosed = () => {
    if (isClosed) return;
    isClosed = true;
    subscriptions?.close();
    news.tell({ kind: "closed", reason: wire.fault?.reason ?? "the connection was closed" });
  };
  client.onclose = onClosed;
  // It may have been lost between its handshake and now.
  if (wire.fault !== undefined) onClosed();
  subscriptions?.start();
  return Object.freeze({
    era: isModern ? "modern" : "legacy",
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    serverInfo: serverInfoOf(connection),
    capabilities: (client.getServerCapabilities() ?? {}) as Readonly<Record<string, unknown>>,
    instructions: client.getInstructions()?.slice(0, longestInstructions),
    transport: wire.kind,
    ...(wire.pid === undefined ? {} : { pid: wire.pid }),
    listTools: (signal) => listTools(connection, signal),
    request: (request) =>
      subscriptions !== undefined && subscribing(subscriptions, request)
        ? Promise.resolve({})
        : sendRequest(connection, request),
    notify: async (method, params) => {
      try {
        await client.notification(params === undefined ? { method } : { method, params });
      } catch (error) {
        throw toSessionError(error, { id: connection.id, method, wire, mask: connection.mask });
      }
    },
    onNews: (listener) => news.on(listener),
    close: async () => {
      subscriptions?.close();
      try {
        await client.close();
      } catch {
        // It is closed as far as anybody here can close it.
      }
      await wire.close().catch(() => {});
      onClosed();
    },
  } satisfies McpSession);
};
