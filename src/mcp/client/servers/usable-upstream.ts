import type { McpSession } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { contentOwnerOf } from "../content/content-owner.ts";
import type { CallerSessions } from "./caller-sessions.ts";
import type { Upstream } from "./upstream.ts";

export interface UsableUpstream {
  readonly id: string;
  readonly session: McpSession;
  /** Tool names, since access to resources and prompts is governed. */
  readonly readResource?: string;
  readonly getPrompt?: string;
  readonly completeArgument?: string;
  readonly keys: readonly string[];
}

/** A server with a connection per caller requires a known caller. */
export const toUsableUpstreams = (
  upstream: Upstream,
  principal: Principal | undefined,
): readonly UsableUpstream[] => {
  const session = sessionOfCaller(upstream, principal);
  if (session === undefined || upstream.isBlocked()) return [];
  const own = upstream.tools.companions();
  const keys = [...upstream.tools.names(), ...Object.values(own)];
  return [{ id: upstream.server.id, session, keys, ...own }];
};

const sessionOfCaller = (
  { session, callerSessions }: Upstream,
  principal: Principal | undefined,
): McpSession | undefined => {
  if (session === undefined || callerSessions === undefined) return session;
  if (principal === undefined) return undefined;
  let own = callerSessionViews.get(session);
  if (own === undefined) {
    own = new Map();
    callerSessionViews.set(session, own);
  }
  const key = contentOwnerOf(principal);
  let mine = own.get(key);
  if (mine === undefined) {
    mine = createCallerSessionView(session, callerSessions, principal);
    own.set(key, mine);
    if (own.size > maxCallerSessionViews) own.delete(own.keys().next().value as string);
  }
  return mine;
};

/** The gateway uses sessions as keys. */
const callerSessionViews = new WeakMap<McpSession, Map<string, McpSession>>();
const maxCallerSessionViews = 1_000;

const createCallerSessionView = (
  session: McpSession,
  callerSessions: CallerSessions,
  principal: Principal,
): McpSession => {
  const { era, protocol, serverInfo, capabilities, instructions, transport } = session;
  return {
    era,
    protocol,
    serverInfo,
    capabilities,
    instructions,
    transport,
    listTools: (signal) => session.listTools(signal),
    request: (request) => callerSessions.request(request, principal),
    notify: (method, params) => session.notify(method, params),
    onNews: (listener) => session.onNews(listener),
    close: async () => {},
  };
};
