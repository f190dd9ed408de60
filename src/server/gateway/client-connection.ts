import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../json/is-object.ts";
import type { Principal } from "../words/principal.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { Following } from "./lists/subscriptions.ts";
import type { LoadedTools } from "./search/loaded-tools.ts";

/** One connection of a client, or one request where requests stand alone. */
export interface ClientConnection {
  readonly gateway: GatewayState;
  readonly server: Server;
  readonly principal: Principal;
  /** Its session, where there is one. */
  readonly conversation: string | undefined;
  /** The least severe log message an old client wants; all unless it said. */
  logLevel: string | undefined;
  /** Resources that the client follows, by the URI it knows. */
  readonly followed: Map<string, Following>;
  /** Tools that the client has had listed; a request that stands alone can keep none. */
  readonly loaded: LoadedTools | undefined;
  /** Calls that go on, whether or not a request is still open for them. */
  running: number;
  /** Holds the place of a request of this connection, where whoever let it in counts places. */
  readonly hold: HoldPlace | undefined;
  /** A connection that is over must not begin to follow anything. */
  isClosed: boolean;
}

/** Keeps the place of a request taken, by the request's id, until what comes back is called. */
export type HoldPlace = (requestId: unknown) => () => void;

interface RequestFacts {
  readonly method?: unknown;
  readonly hold?: HoldPlace | undefined;
}

/** The caller of each request comes with it, as whoever let it in knows it. */
export const authInfoOf = (principal: Principal, { method, hold }: RequestFacts = {}): AuthInfo => ({
  token: "",
  clientId: principal.agent,
  scopes: [],
  extra: { principal, method, hold },
});

const nothingHeld = (): void => {};

/** Holds the place of the request that is being answered. */
export const holdPlaceOf = (connection: ClientConnection, context: ServerContext): (() => void) => {
  const hold = (context.http?.authInfo?.extra?.hold as HoldPlace | undefined) ?? connection.hold;
  return hold?.(context.mcpReq.id) ?? nothingHeld;
};

export const callerOf = (authInfo: AuthInfo | undefined): Principal | undefined =>
  authInfo?.extra?.principal as Principal | undefined;

export const principalOf = (connection: ClientConnection, context: ServerContext): Principal =>
  callerOf(context.http?.authInfo) ?? connection.principal;

export const isModern = ({ server }: ClientConnection): boolean =>
  (server.getNegotiatedProtocolVersion() ?? "") >= "2026-07-28";

const envelopeOf = (context: ServerContext | undefined): JsonObject | undefined =>
  context?.mcpReq.envelope as JsonObject | undefined;

const nothing: JsonObject = Object.freeze({});

export const capabilitiesOf = (connection: ClientConnection, context: ServerContext): JsonObject => {
  const declared = isModern(connection)
    ? envelopeOf(context)?.[CLIENT_CAPABILITIES_META_KEY]
    : connection.server.getClientCapabilities();
  return (declared as JsonObject | undefined) ?? nothing;
};

const levels: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

export const isLevel = (level: unknown): level is string =>
  typeof level === "string" && levels.includes(level);

export const mostVerbose = (wanted: Iterable<string>): string | undefined => {
  const all = new Set(wanted);
  return levels.find((level) => all.has(level));
};

export const isWanted = (level: unknown, least: string): boolean =>
  !isLevel(level) || levels.indexOf(level) >= levels.indexOf(least);

/** Clients of the new era say with each request what they want to hear, and hear nothing unless they do. */
export const logLevelOf = (connection: ClientConnection, context: ServerContext): string | undefined => {
  if (!isModern(connection)) return connection.logLevel ?? levels[0];
  const least = envelopeOf(context)?.[LOG_LEVEL_META_KEY];
  return isLevel(least) ? least : undefined;
};

export const invalid = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);

export const textParam = (params: JsonObject, name: string, method: string): string => {
  const value = params[name];
  if (typeof value === "string") return value;
  throw invalid(`Invalid params: ${method} needs /params/${name} to be a string.`);
};
