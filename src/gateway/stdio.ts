import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import type { Principal } from "../words/principal.ts";
import { type Connection, serveConnection } from "./connection.ts";
import { type FrontOptions, gatewayStateOf } from "./gateway-state.ts";
import type { Served } from "./served.ts";
import { StdioServerTransport } from "./transport/stdio-server.ts";
import { readRequestLine } from "./wire/read-request.ts";

export interface GatewayStdioOptions extends FrontOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly maxMessageBytes?: number;
}

/** Serves the one client at the other end of the pipe, until its end is closed. */
export const serveStdio = (
  served: Served,
  principal: Principal,
  options: GatewayStdioOptions = {},
): Connection => {
  const { stdin, stdout, maxMessageBytes } = options;
  const transport = new StdioServerTransport({ stdin, stdout, maxMessageBytes, read: readRequestLine });
  const gateway = gatewayStateOf(served, options);
  const connection = serveConnection(gateway, principal, transport, randomUUID());
  // Nobody is left who could answer.
  void connection.closed.then(() => gateway.drain(0));
  return connection;
};
