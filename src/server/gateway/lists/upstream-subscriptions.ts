import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/json-value.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import type { McpSession } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { type ClientConnection, principalOf, requireTextParam } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import { findResourceOwners, resourceServers } from "./resource-owners.ts";

interface UpstreamSubscription {
  followers: number;
  /** Each request waits for the one before. */
  last: Promise<unknown>;
}

const subscriptionsBySession = new WeakMap<McpSession, Map<string, UpstreamSubscription>>();

const subscriptionOf = (session: McpSession, uri: string): UpstreamSubscription => {
  let uris = subscriptionsBySession.get(session);
  if (uris === undefined) {
    uris = new Map();
    subscriptionsBySession.set(session, uris);
  }
  let entry = uris.get(uri);
  if (entry === undefined) {
    entry = { followers: 0, last: Promise.resolve() };
    uris.set(uri, entry);
  }
  return entry;
};

/** Clients can name any number of URIs. */
const dropIfUnused = (session: McpSession, uri: string, entry: UpstreamSubscription): void => {
  const uris = subscriptionsBySession.get(session);
  if (entry.followers === 0 && uris?.get(uri) === entry) uris.delete(uri);
};

const sendSubscriptionRequest = (session: McpSession, method: string, uri: string, timeoutMs: number) =>
  session.request({ method, params: { uri }, timeoutMs });

const maxUriLength = 8192;

export interface ResourceSubscription {
  readonly serverId: string;
  /** At the upstream server. */
  readonly uri: string;
  readonly leave: () => void;
}

/** One upstream subscription serves all followers. */
export const subscribeUpstream = async (
  gateway: GatewayState,
  principal: Principal,
  requestedUri: string,
): Promise<ResourceSubscription | undefined> => {
  if (requestedUri.length > maxUriLength) return undefined;
  const servers = resourceServers(gateway, principal).filter(({ session }) => canSubscribe(session));
  const [owner] = await findResourceOwners(gateway, servers, requestedUri);
  if (owner === undefined) return undefined;
  const { server, uri } = owner;
  const { session } = server;
  const entry = subscriptionOf(session, uri);
  if (entry.followers++ === 0) {
    entry.last = entry.last.then(() =>
      sendSubscriptionRequest(session, "resources/subscribe", uri, gateway.listTimeoutMs),
    );
  }
  let isSubscribed = true;
  const leave = (): void => {
    if (!isSubscribed) return;
    isSubscribed = false;
    if (--entry.followers > 0) return;
    entry.last = entry.last
      .then(() =>
        entry.followers > 0
          ? undefined
          : sendSubscriptionRequest(session, "resources/unsubscribe", uri, gateway.listTimeoutMs),
      )
      .catch(() => {})
      .then(() => dropIfUnused(session, uri, entry));
  };
  try {
    await entry.last;
  } catch (error) {
    leave();
    throw error;
  }
  return { serverId: server.id, uri, leave };
};

const canSubscribe = ({ capabilities }: McpSession): boolean =>
  (capabilities.resources as { readonly subscribe?: unknown } | undefined)?.subscribe === true;

const maxSubscriptions = 1000;

/** False if no upstream server supports it. */
export const subscribeConnection = async (
  connection: ClientConnection,
  principal: Principal,
  uri: string,
): Promise<boolean> => {
  if (connection.subscriptions.has(uri)) return true;
  if (connection.subscriptions.size >= maxSubscriptions) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      `A connection can subscribe to at most ${maxSubscriptions} resources.`,
    );
  }
  const following = await subscribeUpstream(connection.gateway, principal, uri);
  if (following === undefined) return false;
  if (connection.isClosed || connection.subscriptions.has(uri)) following.leave();
  else connection.subscriptions.set(uri, following);
  return true;
};

export const subscribeResource = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const uri = requireTextParam(params, "uri", "resources/subscribe");
  if (await subscribeConnection(connection, principalOf(connection, context), uri)) return {};
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `No server supports subscriptions to ${sanitizeUntrustedText(uri)}.`,
  );
};

export const unsubscribeResource = (connection: ClientConnection, params: JsonObject): Result => {
  const uri = requireTextParam(params, "uri", "resources/unsubscribe");
  connection.subscriptions.get(uri)?.leave();
  connection.subscriptions.delete(uri);
  return {};
};

/** The SDK handles `subscriptions/listen` without reporting the resources. */
export class SubscriptionTap {
  readonly #open = new Map<unknown, readonly string[]>();
  #connection: ClientConnection | undefined;

  /**
   * The connection may arrive after the first messages and is replaced once the protocol version is known.
   */
  setConnection(connection: ClientConnection): void {
    this.#connection = connection;
    for (const uris of this.#open.values()) this.#subscribe(uris);
  }

  onMessage(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === "subscriptions/listen") {
      const uris = subscribedUrisOf(message.params);
      this.#open.set(message.id, uris);
      this.#subscribe(uris);
    }
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      this.#unsubscribe(message.params?.requestId);
    }
  }

  #subscribe(uris: readonly string[]): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    for (const uri of uris) subscribeConnection(connection, connection.principal, uri).catch(() => {});
  }

  #unsubscribe(id: unknown): void {
    const ended = this.#open.get(id) ?? [];
    this.#open.delete(id);
    const wanted = new Set([...this.#open.values()].flat());
    for (const uri of ended) {
      if (wanted.has(uri)) continue;
      this.#connection?.subscriptions.get(uri)?.leave();
      this.#connection?.subscriptions.delete(uri);
    }
  }
}

const maxSubscriptionUris = 1000;

export const subscribedUrisOf = (params: unknown): readonly string[] => {
  const filter = (params as { readonly notifications?: unknown } | undefined)?.notifications;
  const uris = (filter as { readonly resourceSubscriptions?: unknown } | undefined)?.resourceSubscriptions;
  return Array.isArray(uris)
    ? uris.filter((uri) => typeof uri === "string").slice(0, maxSubscriptionUris)
    : [];
};
