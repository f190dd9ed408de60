import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../json/is-object.ts";
import { foreignWords } from "../../mcp/client/transport/foreign-words.ts";
import type { Principal } from "../../words/principal.ts";
import { type ClientConnection, principalOf, textParam } from "../client-connection.ts";
import { follow } from "./subscriptions.ts";

const mostFollowed = 1000;

/** The line hears of changes of this resource from now on; false where nobody behind us tells of them. */
export const followFor = async (
  connection: ClientConnection,
  principal: Principal,
  uri: string,
): Promise<boolean> => {
  if (connection.followed.has(uri)) return true;
  if (connection.followed.size >= mostFollowed) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      `More than ${mostFollowed} resources are followed.`,
    );
  }
  const following = await follow(connection.gateway, principal, uri);
  if (following === undefined) return false;
  if (connection.isClosed || connection.followed.has(uri)) following.leave();
  else connection.followed.set(uri, following);
  return true;
};

export const subscribe = async (
  connection: ClientConnection,
  params: JsonObject,
  context: ServerContext,
): Promise<Result> => {
  const uri = textParam(params, "uri", "resources/subscribe");
  if (await followFor(connection, principalOf(connection, context), uri)) return {};
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `No server here tells of changes of ${foreignWords(uri)}.`,
  );
};

export const unsubscribe = (connection: ClientConnection, params: JsonObject): Result => {
  const uri = textParam(params, "uri", "resources/unsubscribe");
  connection.followed.get(uri)?.leave();
  connection.followed.delete(uri);
  return {};
};
