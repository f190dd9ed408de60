import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/server";
import type { Principal } from "../words/principal.ts";
import { type Connection, serveConnection } from "./connection.ts";
import { type FrontOptions, type GatewayState, gatewayStateOf } from "./gateway-state.ts";
import type { Served } from "./served.ts";

export interface SocketOptions extends FrontOptions {
  /** Of the endpoint, so that a client that lost its connection finds its waiting calls over the next. */
  readonly gateway?: GatewayState;
}

/** Serves one client over a transport that is a connection of its own. */
export const serveSocket = (
  served: Served,
  principal: Principal,
  transport: Transport,
  options: SocketOptions = {},
): Connection => {
  const gateway = options.gateway ?? gatewayStateOf(served, options);
  const connection = serveConnection(gateway, principal, transport, randomUUID());
  if (options.gateway === undefined) void connection.closed.then(() => gateway.drain(0));
  return connection;
};
