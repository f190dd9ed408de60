import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import type { McpSession } from "../../../types/mcp.ts";
import {
  type ClientConnection,
  invalidParamsError,
  isLogLevel,
  mostVerboseLevel,
  principalOf,
} from "../client-connection.ts";

interface RequestedLogLevels {
  readonly levels: Map<ClientConnection, string>;
  sentLevel: string | undefined;
}

const requestedLevels = new WeakMap<McpSession, RequestedLogLevels>();

/** Upstream servers get the most verbose requested level. */
export const setLogLevel = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result => {
  const { level } = params;
  if (!isLogLevel(level))
    throw invalidParamsError("Invalid params: logging/setLevel needs /params/level to be a log level.");
  connection.logLevel = level;
  for (const { session } of connection.gateway.backend.servers(principalOf(connection, context))) {
    if (session.era !== "legacy" || session.capabilities.logging === undefined) continue;
    const all = requestedLevels.get(session) ?? { levels: new Map(), sentLevel: undefined };
    requestedLevels.set(session, all);
    all.levels.set(connection, level);
    forwardLogLevel(session, all);
  }
  return {};
};

export const clearLogLevel = (connection: ClientConnection): void => {
  if (connection.logLevel === undefined) return;
  for (const { session } of connection.gateway.backend.servers(connection.principal)) {
    const all = requestedLevels.get(session);
    if (all?.levels.delete(connection)) forwardLogLevel(session, all);
  }
};

const forwardLogLevel = (session: McpSession, all: RequestedLogLevels): void => {
  const level = mostVerboseLevel(all.levels.values());
  if (level === undefined || level === all.sentLevel) return;
  all.sentLevel = level;
  // Messages are filtered here anyway.
  session.request({ method: "logging/setLevel", params: { level } }).catch(() => {
    all.sentLevel = undefined;
  });
};
