import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/server";
import type { Principal } from "../words/principal.ts";
import type { HoldPlace } from "./client-connection.ts";
import { type Connection, serveConnection } from "./connection.ts";
import { type FrontOptions, type GatewayState, gatewayStateOf } from "./gateway-state.ts";
import type { Served } from "./served.ts";

export interface SocketOptions extends FrontOptions {
  /** Of the endpoint, so that a client that lost its connection finds its waiting calls over the next. */
  readonly gateway?: GatewayState;
  /** Holds the place of one of its requests for a call that may outlive the connection. */
  readonly hold?: HoldPlace;
}

/** Serves one client over a transport that is a connection of its own. */
export const serveSocket = (
  served: Served,
  principal: Principal,
  transport: Transport,
  options: SocketOptions = {},
): Connection => {
  const gateway = options.gateway ?? gatewayStateOf(served, options);
  const connection = serveConnection(gateway, principal, transport, randomUUID(), options.hold);
  if (options.gateway === undefined) void connection.closed.then(() => gateway.drain(0));
  return connection;
};
