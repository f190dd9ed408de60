import type { McpSession } from "../../words/mcp.ts";
import type { Principal } from "../../words/principal.ts";
import type { GatewayState } from "../gateway-state.ts";
import { ownersOf, resourceServers } from "./owners.ts";

interface Followed {
  followers: number;
  /** What was asked of the server last; the next waits for it, so that they arrive in order. */
  last: Promise<unknown>;
}

const followed = new WeakMap<McpSession, Map<string, Followed>>();

const entryOf = (session: McpSession, uri: string): Followed => {
  let uris = followed.get(session);
  if (uris === undefined) {
    uris = new Map();
    followed.set(session, uris);
  }
  let entry = uris.get(uri);
  if (entry === undefined) {
    entry = { followers: 0, last: Promise.resolve() };
    uris.set(uri, entry);
  }
  return entry;
};

/** What nobody follows leaves nothing behind: clients can name as many as they like. */
const forget = (session: McpSession, uri: string, entry: Followed): void => {
  const uris = followed.get(session);
  if (entry.followers === 0 && uris?.get(uri) === entry) uris.delete(uri);
};

const ask = (session: McpSession, method: string, uri: string, timeoutMs: number) =>
  session.request({ method, params: { uri }, timeoutMs });

/** Longer than any address; what is followed is kept for as long as its client likes. */
const longestUri = 8192;

export interface Following {
  readonly serverId: string;
  /** As its own server calls it. */
  readonly uri: string;
  readonly leave: () => void;
}

/** Follows a resource at its own server: once for all who follow it, until the last of them leaves. */
export const follow = async (
  gateway: GatewayState,
  principal: Principal,
  asked: string,
): Promise<Following | undefined> => {
  if (asked.length > longestUri) return undefined;
  const servers = resourceServers(gateway, principal).filter(({ session }) => canFollow(session));
  const [owner] = await ownersOf(gateway, servers, asked);
  if (owner === undefined) return undefined;
  const { server, uri } = owner;
  const { session } = server;
  const entry = entryOf(session, uri);
  if (entry.followers++ === 0) {
    entry.last = entry.last.then(() => ask(session, "resources/subscribe", uri, gateway.listTimeoutMs));
  }
  let isFollowing = true;
  const leave = (): void => {
    if (!isFollowing) return;
    isFollowing = false;
    if (--entry.followers > 0) return;
    entry.last = entry.last
      .then(() =>
        entry.followers > 0 ? undefined : ask(session, "resources/unsubscribe", uri, gateway.listTimeoutMs),
      )
      .catch(() => {})
      .then(() => forget(session, uri, entry));
  };
  try {
    await entry.last;
  } catch (error) {
    leave();
    throw error;
  }
  return { serverId: server.id, uri, leave };
};

const canFollow = ({ capabilities }: McpSession): boolean =>
  (capabilities.resources as { readonly subscribe?: unknown } | undefined)?.subscribe === true;
