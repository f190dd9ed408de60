import type { McpSession } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import type { GatewayState } from "../gateway-state.ts";
import { findResourceOwners, resourceServers } from "./resource-owners.ts";

interface UpstreamSubscription {
  followers: number;
  /** What was asked of the server last; the next waits for it, so that they arrive in order. */
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

/** What nobody follows leaves nothing behind: clients can name as many as they like. */
const dropIfUnused = (session: McpSession, uri: string, entry: UpstreamSubscription): void => {
  const uris = subscriptionsBySession.get(session);
  if (entry.followers === 0 && uris?.get(uri) === entry) uris.delete(uri);
};

const sendSubscriptionRequest = (session: McpSession, method: string, uri: string, timeoutMs: number) =>
  session.request({ method, params: { uri }, timeoutMs });

/** Longer than any address; what is followed is kept for as long as its client likes. */
const maxUriLength = 8192;

export interface ResourceSubscription {
  readonly serverId: string;
  /** As its own server calls it. */
  readonly uri: string;
  readonly leave: () => void;
}

/** Follows a resource at its own server: once for all who follow it, until the last of them leaves. */
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
