import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ReadMessageResult } from "../../mcp/client/transport/inbound-messages.ts";
import { defaultMaxMessageBytes } from "../../mcp/client/transport/server-transport.ts";
import { LineReader, LineTooLongError } from "../../mcp/client/transport/stdio/line-reader.ts";
import type { Principal } from "../../types/principal.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import { createGatewayState, type GatewayOptions } from "./gateway-state.ts";
import { type Connection, serveConnection } from "./serve-connection.ts";
import { takeProtocolStdout } from "./transport/protocol-stdout.ts";
import { malformedMessageError, parseErrorMessage } from "./wire/malformed-message.ts";
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

interface StdioServerOptions {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly maxMessageBytes?: number | undefined;
  readonly read: (text: string) => ReadMessageResult;
}

const ignore = (): void => {};

/** One message per line, parsed from its exact text. */
export class StdioServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;

  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #read: StdioServerOptions["read"];
  readonly #lines: LineReader;
  #isClosed = false;

  constructor({ stdin = process.stdin, stdout = process.stdout, maxMessageBytes, read }: StdioServerOptions) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#read = read;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    this.#lines = new LineReader(maxMessageBytes ?? defaultMaxMessageBytes, (bytes) => decoder.decode(bytes));
  }

  start(): Promise<void> {
    if (this.#stdin.readableEnded || this.#stdin.destroyed) setImmediate(this.#end);
    this.#stdin
      .on("data", this.#onData)
      .on("error", this.#reportError)
      .on("end", this.#end)
      .on("close", this.#end);
    this.#stdout.on("error", this.#fail);
    return Promise.resolve();
  }

  /** Resolves when the pipe accepts more data (backpressure). */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("The pipe is closed."));
    return new Promise((resolve, reject) => {
      this.#stdout.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error === undefined || error === null) resolve();
        else reject(error);
      });
    });
  }

  close(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  readonly #reportError = (error: Error): void => this.onerror?.(error);

  readonly #fail = (error: Error): void => {
    this.#reportError(error);
    this.#end();
  };

  readonly #end = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stdin
      .off("data", this.#onData)
      .off("error", this.#reportError)
      .off("end", this.#end)
      .off("close", this.#end);
    // An unhandled "error" event would end the process.
    this.#stdout.off("error", this.#fail).on("error", ignore);
    if (this.#stdin.listenerCount("data") === 0) this.#stdin.pause();
    this.#lines.clear();
    this.onclose?.();
  };

  readonly #onData = (chunk: Buffer): void => {
    this.#lines.push(chunk);
    while (!this.#isClosed) {
      let line: string | undefined;
      try {
        line = this.#lines.next();
      } catch (error) {
        if (error instanceof LineTooLongError) this.#fail(error);
        else this.#reject(parseErrorMessage("its bytes are not UTF-8."));
        continue;
      }
      if (line === undefined) return;
      this.#readLine(line.trim());
    }
  };

  #readLine(line: string): void {
    if (line === "") return;
    const reading = this.#read(line);
    const answer = reading.ok ? malformedMessageError(reading.value) : parseErrorMessage(reading.reason);
    if (answer !== undefined) this.#reject(answer);
    else if (reading.ok) this.onmessage?.(reading.value as JSONRPCMessage);
  }

  #reject(answer: JSONRPCMessage): void {
    if ("error" in answer) this.#reportError(new Error(answer.error.message));
    // The ID could be that of a running request.
    this.send({ ...answer, id: null } as never).catch(ignore);
  }
}
