import type * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import type { JsonObject } from "../../../json/is-object.ts";
import { MCPConnectionError, type ToolError } from "../../../words/errors.ts";
import type {
  McpServerState,
  McpSession,
  McpStatus,
  NamedServer,
  SessionRequest,
} from "../../../words/mcp.ts";
import type { Principal } from "../../../words/principal.ts";
import { foreignWords } from "../transport/foreign-words.ts";
import { factsOf, transportOf } from "./server-facts.ts";
import type { ServersServices, ToolJudge } from "./servers-services.ts";
import { type PartySessions, sessionsByParty } from "./sessions-by-party.ts";
import { type ServerTools, serverTools } from "./tools/server-tools.ts";
import type { SessionPins } from "./tools/session-pins.ts";

/** One server as it stands now. Only its own life writes here. */
export interface Upstream {
  readonly server: NamedServer;
  readonly tools: ServerTools;
  readonly parties: PartySessions | undefined;
  readonly isRefused: () => boolean;
  /** What is against the server as a whole, such as a lock that cannot be read. */
  readonly refusal: () => string | undefined;
  /** The connection that all share, while it is up. */
  session: McpSession | undefined;
  status: Exclude<McpStatus, "degraded">;
  reason: string | undefined;
  /** Why it is not as well as it could be while it is up. */
  trouble: string | undefined;
  connectedAt: number | undefined;
  nextTryAt: number | undefined;
  connections: number;
}

export interface UpstreamServices extends ServersServices {
  readonly clock: Clock.Clock;
  /** In which connections of single callers are opened. */
  readonly context: Context.Context<never>;
  /** Of this server, however often it is connected. */
  readonly pins: SessionPins;
}

/** A server that has not been tried yet. */
export const newUpstream = (server: NamedServer, services: UpstreamServices): Upstream => {
  const { registry, judge = passAll, judgePage, clock, context, config, spill, media, ask, pins } = services;
  const refusal = (): string | undefined => services.refusal?.(server);
  const now = (): number => clock.currentTimeMillisUnsafe();
  const link = {
    request: (request: SessionRequest, principal: Principal) => send(upstream, request, principal, now),
    isUp: () => upstream.session !== undefined,
    callTimeoutMs: config.requestTimeoutMs,
    spill,
    media,
    ask,
    ...(judgePage === undefined
      ? {}
      : { judgePage: (uri: string, result: JsonObject) => judgePage(server, uri, result) }),
  };
  const upstream: Upstream = {
    server,
    tools: serverTools(server, { registry, judge, link, refusal, pins }),
    isRefused: () => refusal() !== undefined,
    refusal,
    parties: server.sharing === "principal" ? sessionsByParty(server, services, context, clock) : undefined,
    session: undefined,
    status: "connecting",
    reason: undefined,
    trouble: undefined,
    connectedAt: undefined,
    nextTryAt: undefined,
    connections: 0,
  };
  return upstream;
};

const passAll: ToolJudge = (_, tools) => tools.map((tool) => ({ tool, verdict: "ok" }));

export const toState = (upstream: Upstream): McpServerState => {
  const { server, tools, session, status, reason, trouble, connectedAt, connections } = upstream;
  const quarantined = Object.freeze([...tools.quarantined()]);
  const held = quarantined.length;
  const losses = tools.losses();
  const lacks =
    trouble ?? (held === 0 ? undefined : `${held} ${held === 1 ? "tool is" : "tools are"} held back`);
  const isUp = status === "connected";
  const why = isUp ? lacks : reason;
  return Object.freeze({
    id: server.id,
    status: isUp && lacks !== undefined ? "degraded" : status,
    ...(why === undefined ? {} : { reason: why }),
    transport: session?.transport ?? transportOf(server),
    ...(session === undefined ? {} : { era: session.era, protocol: session.protocol }),
    ...(session?.serverInfo === undefined ? {} : { serverInfo: session.serverInfo }),
    tools: Object.freeze([...tools.names()]),
    quarantined,
    ...(losses.length === 0 ? {} : { losses: Object.freeze(losses) }),
    ...(connectedAt === undefined ? {} : { connectedAt }),
    reconnects: Math.max(0, connections - 1),
  });
};

/** Over the shared connection or the caller's own. Nothing is sent while the server is known to be away. */
export const send = (
  upstream: Upstream,
  request: SessionRequest,
  principal: Principal,
  now: () => number,
): Promise<JsonObject> => {
  const { session, parties } = upstream;
  if (session === undefined) return Promise.reject(away(upstream, now()));
  return parties === undefined ? session.request(request) : parties.request(request, principal);
};

/** Why nothing is sent to a server that is not there. */
export const away = (upstream: Upstream, now: number): ToolError => {
  const { server, status, reason, nextTryAt, connections } = upstream;
  const why = reason === undefined ? "" : `: ${reason}`;
  const waitMs = nextTryAt === undefined ? undefined : Math.max(0, nextTryAt - now);
  const again =
    waitMs !== undefined
      ? `It is tried again in ${waitMs < 1_000 ? `${waitMs} ms` : `${Math.ceil(waitMs / 1_000)} s`}.`
      : status === "connecting"
        ? "It is being tried now."
        : status === "disconnected" && connections > 0
          ? "It is tried again soon."
          : "It is not tried again by itself.";
  return new MCPConnectionError(
    "mcp_unreachable",
    `The MCP server "${server.id}" is not connected (${status}${foreignWords(why, 300)}). ${again}`,
    { ran: false, ...factsOf(server), ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) },
  );
};
