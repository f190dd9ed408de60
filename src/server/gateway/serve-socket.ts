import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/server";
import type { Principal } from "../../types/principal.ts";
import type { HoldSlot } from "./client-connection.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import { createGatewayState, type GatewayOptions, type GatewayState } from "./gateway-state.ts";
import { type Connection, serveConnection } from "./serve-connection.ts";

export interface ServeSocketOptions extends GatewayOptions {
  /** Of the endpoint, so that a client that lost its connection finds its waiting calls over the next. */
  readonly gateway?: GatewayState;
  /** Holds the place of one of its requests for a call that may outlive the connection. */
  readonly hold?: HoldSlot;
}

/** Serves one client over a transport that is a connection of its own. */
export const serveSocket = (
  served: GatewayBackend,
  principal: Principal,
  transport: Transport,
  options: ServeSocketOptions = {},
): Connection => {
  const gateway = options.gateway ?? createGatewayState(served, options);
  const connection = serveConnection(gateway, principal, transport, randomUUID(), options.hold);
  if (options.gateway === undefined) void connection.closed.then(() => gateway.drain(0));
  return connection;
};
