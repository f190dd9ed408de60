import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../../base/json/is-object.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import type { Principal } from "../../../types/principal.ts";
import { type ClientConnection, principalOf, requireTextParam } from "../client-connection.ts";
import { subscribeUpstream } from "./upstream-subscriptions.ts";

const maxSubscriptions = 1000;

/** False if no upstream server supports it. */
export const subscribeConnection = async (
  connection: ClientConnection,
  principal: Principal,
  uri: string,
): Promise<boolean> => {
  if (connection.subscriptions.has(uri)) return true;
  if (connection.subscriptions.size >= maxSubscriptions) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      `A connection can subscribe to at most ${maxSubscriptions} resources.`,
    );
  }
  const following = await subscribeUpstream(connection.gateway, principal, uri);
  if (following === undefined) return false;
  if (connection.isClosed || connection.subscriptions.has(uri)) following.leave();
  else connection.subscriptions.set(uri, following);
  return true;
};

export const subscribeResource = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const uri = requireTextParam(params, "uri", "resources/subscribe");
  if (await subscribeConnection(connection, principalOf(connection, context), uri)) return {};
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `No server supports subscriptions to ${sanitizeUntrustedText(uri)}.`,
  );
};

export const unsubscribeResource = (connection: ClientConnection, params: JsonObject): Result => {
  const uri = requireTextParam(params, "uri", "resources/unsubscribe");
  connection.subscriptions.get(uri)?.leave();
  connection.subscriptions.delete(uri);
  return {};
};
