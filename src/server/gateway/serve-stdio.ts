import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import type { Principal } from "../../types/principal.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import { createGatewayState, type GatewayOptions } from "./gateway-state.ts";
import { type Connection, serveConnection } from "./serve-connection.ts";
import { takeProtocolStdout } from "./transport/protocol-stdout.ts";
import { StdioServerTransport } from "./transport/stdio-server.ts";
import { readRequestLine } from "./wire/read-request.ts";

export interface GatewayStdioOptions extends GatewayOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly maxMessageBytes?: number;
}

/**
 * Serves the client at the other end of standard I/O until it closes. Meanwhile, only the protocol writes to
 * standard output.
 */
export const serveStdio = (
  served: GatewayBackend,
  principal: Principal,
  options: GatewayStdioOptions = {},
): Connection => {
  const { stdin, maxMessageBytes } = options;
  const protocolStdout = options.stdout === undefined ? takeProtocolStdout() : undefined;
  const stdout = options.stdout ?? protocolStdout?.stdout;
  const transport = new StdioServerTransport({ stdin, stdout, maxMessageBytes, read: readRequestLine });
  const gateway = createGatewayState(served, options);
  const connection = serveConnection(gateway, principal, transport, randomUUID());
  void connection.closed.then(() => gateway.drain(0));
  void connection.closed.then(() => protocolStdout?.[Symbol.dispose]());
  return connection;
};
