import type * as Clock from "effect/Clock";
import type * as Context from "effect/Context";
import type { JsonObject } from "../../../base/json/json-value.ts";
import { DefinitionChangedError, MCPConnectionError, type ToolError } from "../../../types/errors.ts";
import type {
  McpServerState,
  McpSession,
  McpSessionRequest,
  McpStatus,
  NamedMcpServer,
} from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";
import { launchOf } from "../../lock/launch.ts";
import type { ToolLink } from "../to-tool/tool-link.ts";
import { sanitizeUntrustedText } from "../transport/sanitize-foreign-text.ts";
import { type CallerSessions, createCallerSessions } from "./caller-sessions.ts";
import {
  type CheckTools,
  type McpServersServices,
  serverFactsOf,
  serverTransportOf,
} from "./servers-services.ts";
import type { SessionPins } from "./tools/check-tool-list.ts";
import { createServerTools, type ServerTools } from "./tools/server-tools.ts";

/** Written only by the server's lifecycle. */
export interface Upstream {
  readonly server: NamedMcpServer;
  readonly tools: ServerTools;
  readonly callerSessions: CallerSessions | undefined;
  readonly isBlocked: () => boolean;
  readonly blockedReason: () => string | undefined;
  session: McpSession | undefined;
  status: Exclude<McpStatus, "degraded">;
  reason: string | undefined;
  /** Why a connected server is degraded. */
  degradedReason: string | undefined;
  connectedAt: number | undefined;
  nextTryAt: number | undefined;
  connections: number;
}

export interface UpstreamServices extends McpServersServices {
  readonly clock: Clock.Clock;
  readonly context: Context.Context<never>;
  readonly pins: SessionPins;
}

export const createUpstream = (server: NamedMcpServer, services: UpstreamServices): Upstream => {
  const {
    registry,
    checkTools = acceptAllTools,
    checkPage,
    clock,
    context,
    config,
    truncator,
    media,
    ask,
    pins,
  } = services;
  const refusal = (): string | undefined => services.refusal?.(server);
  const now = (): number => clock.currentTimeMillisUnsafe();
  const link: Omit<ToolLink, "quarantine"> = {
    request: (request: McpSessionRequest, principal: Principal) =>
      sendToUpstream(upstream, request, principal, now),
    isUp: () => upstream.session !== undefined,
    callTimeoutMs: config.requestTimeoutMs,
    truncator,
    media,
    requestInput: ask,
    ...(checkPage === undefined
      ? {}
      : { checkPage: (uri: string, result: JsonObject) => checkPage(server, uri, result) }),
  };
  const upstream: Upstream = {
    server,
    tools: createServerTools(server, { registry, judge: checkTools, link, refusal, pins }),
    isBlocked: () => refusal() !== undefined,
    blockedReason: refusal,
    callerSessions:
      server.sharing === "principal" ? createCallerSessions(server, services, context, clock) : undefined,
    session: undefined,
    status: "connecting",
    reason: undefined,
    degradedReason: undefined,
    connectedAt: undefined,
    nextTryAt: undefined,
    connections: 0,
  };
  return upstream;
};

const acceptAllTools: CheckTools = (_, tools) => tools.map((tool) => ({ tool, verdict: "ok" }));

export const toServerState = (upstream: Upstream): McpServerState => {
  const { server, tools, session, status, reason, degradedReason, connectedAt, connections } = upstream;
  const quarantined = Object.freeze([...tools.quarantined()]);
  const held = quarantined.length;
  const losses = tools.uncheckedConstraints();
  const unmatched = tools.unmatched();
  const degradation =
    degradedReason ??
    (held === 0 ? undefined : `${held} ${held === 1 ? "tool is" : "tools are"} quarantined`);
  const isUp = status === "connected";
  const why = isUp ? degradation : (upstream.blockedReason() ?? reason);
  return Object.freeze({
    id: server.id,
    status: isUp && degradation !== undefined ? "degraded" : status,
    ...(why === undefined ? {} : { reason: why }),
    transport: session?.transport ?? serverTransportOf(server),
    ...launchAddressOf(server),
    ...(session === undefined ? {} : { era: session.era, protocol: session.protocol }),
    ...(session?.serverInfo === undefined ? {} : { serverInfo: session.serverInfo }),
    tools: Object.freeze(isUp ? [...tools.names()] : []),
    quarantined,
    ...(losses.length === 0 ? {} : { losses: Object.freeze(losses) }),
    ...(unmatched.length === 0 ? {} : { unmatched: Object.freeze(unmatched) }),
    ...(connectedAt === undefined ? {} : { connectedAt }),
    reconnects: Math.max(0, connections - 1),
  });
};

const launchAddressOf = (server: NamedMcpServer): Pick<McpServerState, "endpoint" | "command" | "args"> => {
  const launch = launchOf(server);
  if ("url" in launch) return { endpoint: launch.url };
  return { command: launch.command, args: launch.args };
};

export const sendToUpstream = (
  upstream: Upstream,
  request: McpSessionRequest,
  principal: Principal,
  now: () => number,
): Promise<JsonObject> => {
  const { session, callerSessions } = upstream;
  if (session === undefined) return Promise.reject(unavailableError(upstream, now()));
  return callerSessions === undefined ? session.request(request) : callerSessions.request(request, principal);
};

export const unavailableError = (upstream: Upstream, now: number): ToolError => {
  const { server, status, reason, nextTryAt, connections } = upstream;
  const refusal = upstream.blockedReason();
  if (refusal !== undefined) {
    // The reason names operator commands, so it is not shown to the model.
    const message = `The MCP server "${server.id}" is not available, so the tool was not called. An operator must review the server first.`;
    return new DefinitionChangedError("definition_changed", message, { ran: false, detail: refusal });
  }
  const why = reason === undefined ? "" : `: ${reason}`;
  const waitMs = nextTryAt === undefined ? undefined : Math.max(0, nextTryAt - now);
  const again =
    waitMs !== undefined
      ? `The next retry is in ${waitMs < 1_000 ? `${waitMs} ms` : `${Math.ceil(waitMs / 1_000)} s`}.`
      : status === "connecting"
        ? "A connection attempt is in progress."
        : status === "disconnected" && connections > 0
          ? "It will be retried soon."
          : "It is not retried automatically.";
  return new MCPConnectionError(
    "mcp_unreachable",
    `The MCP server "${server.id}" is not connected (${status}${sanitizeUntrustedText(why, 300)}). ${again}`,
    { ran: false, ...serverFactsOf(server), ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) },
  );
};
