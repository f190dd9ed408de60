import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import type { Principal } from "../words/principal.ts";
import { type Connection, serveConnection } from "./connection.ts";
import { type FrontOptions, gatewayStateOf } from "./gateway-state.ts";
import type { Served } from "./served.ts";
import { ownStdout } from "./transport/own-stdout.ts";
import { StdioServerTransport } from "./transport/stdio-server.ts";
import { readRequestLine } from "./wire/read-request.ts";

export interface GatewayStdioOptions extends FrontOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly maxMessageBytes?: number;
}

/**
 * Serves the one client at the other end of the pipe, until its end is closed. Until then standard output is the
 * protocol's alone, where no other stream is given.
 */
export const serveStdio = (
  served: Served,
  principal: Principal,
  options: GatewayStdioOptions = {},
): Connection => {
  const { stdin, maxMessageBytes } = options;
  const own = options.stdout === undefined ? ownStdout() : undefined;
  const stdout = options.stdout ?? own?.stdout;
  const transport = new StdioServerTransport({ stdin, stdout, maxMessageBytes, read: readRequestLine });
  const gateway = gatewayStateOf(served, options);
  const connection = serveConnection(gateway, principal, transport, randomUUID());
  // Nobody is left who could answer.
  void connection.closed.then(() => gateway.drain(0));
  void connection.closed.then(() => own?.[Symbol.dispose]());
  return connection;
};
