import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../base/json/json-value.ts";
import type { McpSessionNotification } from "../../types/mcp.ts";
import type { Principal } from "../../types/principal.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { ResourceSubscription } from "./lists/upstream-subscriptions.ts";
import type { LoadedTools } from "./search/short-list.ts";

/** A connection, or a single stateless request. */
export interface ClientConnection {
  readonly gateway: GatewayState;
  readonly server: Server;
  readonly principal: Principal;
  readonly conversation: string | undefined;
  /** Minimum level for legacy clients. */
  logLevel: string | undefined;
  /** By the client's URI. */
  readonly subscriptions: Map<string, ResourceSubscription>;
  readonly loaded: LoadedTools | undefined;
  running: number;
  readonly holdSlot: HoldSlot | undefined;
  isClosed: boolean;
}

/** Keeps a request's slot until the returned function is called. */
export type HoldSlot = (requestId: unknown) => () => void;

interface RequestAuthFacts {
  readonly method?: unknown;
  readonly hold?: HoldSlot | undefined;
}

export const toAuthInfo = (principal: Principal, { method, hold }: RequestAuthFacts = {}): AuthInfo => ({
  token: "",
  clientId: principal.agent,
  scopes: [],
  extra: { principal, method, hold },
});

const ignoreRelease = (): void => {};

export const holdSlotOf = (connection: ClientConnection, context: ServerContext): (() => void) => {
  const hold = (context.http?.authInfo?.extra?.hold as HoldSlot | undefined) ?? connection.holdSlot;
  return hold?.(context.mcpReq.id) ?? ignoreRelease;
};

export const principalOfAuthInfo = (authInfo: AuthInfo | undefined): Principal | undefined =>
  authInfo?.extra?.principal as Principal | undefined;

export const principalOf = (connection: ClientConnection, context: ServerContext): Principal =>
  principalOfAuthInfo(context.http?.authInfo) ?? connection.principal;

export const usesModernProtocol = ({ server }: ClientConnection): boolean =>
  (server.getNegotiatedProtocolVersion() ?? "") >= "2026-07-28";

const envelopeOf = (context: ServerContext | undefined): JsonObject | undefined =>
  context?.mcpReq.envelope as JsonObject | undefined;

const noCapabilities: JsonObject = Object.freeze({});

export const capabilitiesOf = (connection: ClientConnection, context: ServerContext): JsonObject => {
  const declared = usesModernProtocol(connection)
    ? envelopeOf(context)?.[CLIENT_CAPABILITIES_META_KEY]
    : connection.server.getClientCapabilities();
  return (declared as JsonObject | undefined) ?? noCapabilities;
};

const logLevels: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

export const isLogLevel = (level: unknown): level is string =>
  typeof level === "string" && logLevels.includes(level);

export const mostVerboseLevel = (requested: Iterable<string>): string | undefined => {
  const all = new Set(requested);
  return logLevels.find((level) => all.has(level));
};

export const isLoggedAt = (level: unknown, minLevel: string): boolean =>
  !isLogLevel(level) || logLevels.indexOf(level) >= logLevels.indexOf(minLevel);

/** Modern clients set the level per request. */
export const logLevelOf = (connection: ClientConnection, context: ServerContext): string | undefined => {
  if (!usesModernProtocol(connection)) return connection.logLevel ?? logLevels[0];
  const minLevel = envelopeOf(context)?.[LOG_LEVEL_META_KEY];
  return isLogLevel(minLevel) ? minLevel : undefined;
};

export const invalidParamsError = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);

export const requireTextParam = (params: JsonObject, name: string, method: string): string => {
  const value = params[name];
  if (typeof value === "string") return value;
  throw invalidParamsError(`Invalid params: ${method} needs /params/${name} to be a string.`);
};

export const toServerEvents = (
  notification: McpSessionNotification,
  serverId: string | undefined,
  subscriptions: ReadonlyMap<string, ResourceSubscription>,
): readonly ServerEvent[] => {
  switch (notification.kind) {
    case "tools-changed":
      return [{ kind: "tools_list_changed" }];
    case "prompts-changed":
      return [{ kind: "prompts_list_changed" }];
    case "resources-changed":
      return [{ kind: "resources_list_changed" }];
    case "resource-updated":
      return [...subscriptions]
        .filter(([, following]) => following.uri === notification.uri && following.serverId === serverId)
        .map(([uri]) => ({ kind: "resource_updated" as const, uri }));
    case "closed":
      return [{ kind: "prompts_list_changed" }, { kind: "resources_list_changed" }];
    // Log messages only reach the client whose call caused them.
    default:
      return [];
  }
};

export const forwardNotifications = (connection: ClientConnection): (() => void) =>
  connection.gateway.backend.onChange((news, serverId) => {
    for (const event of toServerEvents(news, serverId, connection.subscriptions))
      sendServerEvent(connection, event);
  });

export const sendServerEvent = ({ server }: ClientConnection, event: ServerEvent): void => {
  const { prompts, resources } = server.getCapabilities();
  const sent = (): Promise<void> | undefined => {
    switch (event.kind) {
      case "tools_list_changed":
        return server.sendToolListChanged();
      case "prompts_list_changed":
        return prompts && server.sendPromptListChanged();
      case "resources_list_changed":
        return resources && server.sendResourceListChanged();
      case "resource_updated":
        return resources && server.sendResourceUpdated({ uri: event.uri });
    }
  };
  sent()?.catch(() => {});
};
