import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/server";
import type { Principal } from "../../types/principal.ts";
import type { HoldSlot } from "./client-connection.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import { createGatewayState, type GatewayOptions, type GatewayState } from "./gateway-state.ts";
import { type Connection, serveConnection } from "./serve-connection.ts";

export interface ServeSocketOptions extends GatewayOptions {
  /** Shared, so that a client that reconnects finds its waiting calls. */
  readonly gateway?: GatewayState;
  readonly hold?: HoldSlot;
}

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
