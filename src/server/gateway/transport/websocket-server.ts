import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { WebSocket } from "ws";
import type { ReadMessageResult } from "../../../mcp/client/transport/inbound-messages.ts";
import { defaultMaxMessageBytes } from "../../../mcp/client/transport/server-transport.ts";
import { closeSocket, listenToSocket, sendOver } from "../../../mcp/client/transport/websocket-connection.ts";
import { malformedMessageError, parseErrorMessage } from "../wire/malformed-message.ts";

interface WebSocketServerOptions {
  readonly pingMs?: number;
  readonly maxMessageBytes?: number;
  /** Override it to record the close code. */
  readonly close?: (code: number, reason: string) => void;
  /** Default: the native JSON parser. */
  readonly read?: (text: string) => ReadMessageResult;
}

const defaultPingMs = 30_000;

/** RFC 6455: unsupported data. */
const unsupportedDataCode = 1003;

const ignore = (): void => {};

export class WebSocketServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** Default: sends the response. */
  onmalformed?: (answer: JSONRPCMessage) => void;

  readonly #socket: WebSocket;
  readonly #options: WebSocketServerOptions;
  #stopListening: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(socket: WebSocket, options: WebSocketServerOptions = {}) {
    this.#socket = socket;
    this.#options = options;
  }

  start(): Promise<void> {
    const { pingMs = defaultPingMs, maxMessageBytes = defaultMaxMessageBytes, read } = this.#options;
    this.#stopListening = listenToSocket(this.#socket, {
      pingMs,
      maxBytes: maxMessageBytes,
      read,
      intake: {
        accept: (value) => {
          const answer = malformedMessageError(value);
          if (answer === undefined) this.onmessage?.(value as JSONRPCMessage);
          else this.#reject(answer);
          return true;
        },
      },
      onUnreadable: (what, reason) => {
        if (what === "text") return this.#reject(parseErrorMessage(reason));
        const close = this.#options.close ?? ((code, why) => this.#socket.close(code, why));
        close(unsupportedDataCode, "Messages must be text. Send JSON in text frames.");
        this.#end();
      },
      onFault: ({ kind, reason }) => {
        if (kind === "garbage") this.onerror?.(new Error(reason));
        this.#end();
      },
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return sendOver(this.#socket, message);
  }

  close(): Promise<void> {
    this.#end();
    return this.#ending ?? Promise.resolve();
  }

  #reject(answer: JSONRPCMessage): void {
    if (this.onmalformed === undefined) this.send(answer).catch(ignore);
    else this.onmalformed(answer);
  }

  #end(): void {
    if (this.#ending !== undefined) return;
    this.#stopListening?.();
    const { readyState, CLOSING } = this.#socket;
    this.#ending = readyState === CLOSING ? waitForClose(this.#socket) : closeSocket(this.#socket, true);
    this.onclose?.();
  }
}

/** In milliseconds. */
const closeGraceMs = 1_000;

/** Gives the client time to read the close code. */
const waitForClose = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), closeGraceMs).unref();
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
