import type { McpSession } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
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
