import type { McpSession } from "../../../words/mcp.ts";
import type { Principal } from "../../../words/principal.ts";
import { ownerOf } from "../content/owner.ts";
import type { PartySessions } from "./sessions-by-party.ts";
import type { Upstream } from "./upstream.ts";

/** A server that a principal may use: what it has besides tools is passed on. */
export interface ServedUpstream {
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
export const toServed = (upstream: Upstream, principal: Principal | undefined): readonly ServedUpstream[] => {
  const session = sessionFor(upstream, principal);
  if (session === undefined || upstream.isRefused()) return [];
  const own = upstream.tools.companions();
  const keys = [...upstream.tools.names(), ...Object.values(own)];
  return [{ id: upstream.server.id, session, keys, ...own }];
};

const sessionFor = (
  { session, parties }: Upstream,
  principal: Principal | undefined,
): McpSession | undefined => {
  if (session === undefined || parties === undefined) return session;
  if (principal === undefined) return undefined;
  let own = ofParties.get(session);
  if (own === undefined) {
    own = new Map();
    ofParties.set(session, own);
  }
  const key = ownerOf(principal);
  let mine = own.get(key);
  if (mine === undefined) {
    mine = sessionOf(session, parties, principal);
    own.set(key, mine);
    if (own.size > mostParties) own.delete(own.keys().next().value as string);
  }
  return mine;
};

/** The same one each time, for what a gateway keeps of a server it keeps by its session. */
const ofParties = new WeakMap<McpSession, Map<string, McpSession>>();
const mostParties = 1_000;

const sessionOf = (session: McpSession, parties: PartySessions, principal: Principal): McpSession => {
  const { era, protocol, serverInfo, capabilities, instructions, transport } = session;
  return {
    era,
    protocol,
    serverInfo,
    capabilities,
    instructions,
    transport,
    listTools: (signal) => session.listTools(signal),
    request: (request) => parties.request(request, principal),
    notify: (method, params) => session.notify(method, params),
    onNews: (listener) => session.onNews(listener),
    // It is not the gateway's to close.
    close: async () => {},
  };
};
