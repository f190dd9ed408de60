import type { McpSession } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { contentOwnerOf } from "../content/content-owner.ts";
import type { CallerSessions } from "./caller-sessions.ts";
import type { Upstream } from "./upstream.ts";

/** A server that a principal may use: what it has besides tools is passed on. */
export interface UsableUpstream {
  readonly id: string;
  readonly session: McpSession;
  /** Full names of the tools through which its resources are read, its prompts fetched and their arguments completed: all are governed. */
  readonly readResource?: string;
  readonly getPrompt?: string;
  readonly completeArgument?: string;
  /** Full names of everything that can be called on it. */
  readonly keys: readonly string[];
}

/** What a gateway passes on. A server with a connection for each caller is there only for a caller that is named. */
export const toUsableUpstreams = (
  upstream: Upstream,
  principal: Principal | undefined,
): readonly UsableUpstream[] => {
  const session = sessionOfCaller(upstream, principal);
  if (session === undefined || upstream.isRefused()) return [];
  const own = upstream.tools.companions();
  const keys = [...upstream.tools.names(), ...Object.values(own)];
  return [{ id: upstream.server.id, session, keys, ...own }];
};

const sessionOfCaller = (
  { session, parties: callerSessions }: Upstream,
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

/** The same one each time, for what a gateway keeps of a server it keeps by its session. */
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
    // It is not the gateway's to close.
    close: async () => {},
  };
};
