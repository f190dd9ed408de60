import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import type { McpSession } from "../../words/mcp.ts";
import { type ClientConnection, invalid, isLevel, mostVerbose, principalOf } from "../client-connection.ts";

interface WantedLevels {
  readonly levels: Map<ClientConnection, string>;
  sentLevel: string | undefined;
}

const wanted = new WeakMap<McpSession, WantedLevels>();

/** Servers are told the most verbose level that any client wants; each client hears only what it wanted. */
export const setLevel = (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Result => {
  const { level } = params;
  if (!isLevel(level))
    throw invalid("Invalid params: logging/setLevel needs /params/level to be a log level.");
  connection.logLevel = level;
  for (const { session } of connection.gateway.served.servers(principalOf(connection, context))) {
    if (session.era !== "legacy" || session.capabilities.logging === undefined) continue;
    const all = wanted.get(session) ?? { levels: new Map(), sentLevel: undefined };
    wanted.set(session, all);
    all.levels.set(connection, level);
    pass(session, all);
  }
  return {};
};

export const forgetLevel = (connection: ClientConnection): void => {
  if (connection.logLevel === undefined) return;
  for (const { session } of connection.gateway.served.servers(connection.principal)) {
    const all = wanted.get(session);
    if (all?.levels.delete(connection)) pass(session, all);
  }
};

const pass = (session: McpSession, all: WantedLevels): void => {
  const level = mostVerbose(all.levels.values());
  if (level === undefined || level === all.sentLevel) return;
  all.sentLevel = level;
  // A server that does not follow still answers calls; its messages are sorted out here anyway.
  session.request({ method: "logging/setLevel", params: { level } }).catch(() => {
    all.sentLevel = undefined;
  });
};
