import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { WebSocket } from "ws";
import type { ReadMessageResult } from "../../../mcp/client/transport/read-message.ts";
import { defaultMaxMessageBytes } from "../../../mcp/client/transport/server-transport.ts";
import { closeSocket, listenToSocket, sendOver } from "../../../mcp/client/transport/websocket-connection.ts";
import { malformedMessageResponse, parseErrorResponse } from "../wire/malformed-message.ts";

interface WebSocketServerOptions {
  readonly pingMs?: number;
  /** As the server that accepted the socket was told, for the words of an error. */
  readonly maxMessageBytes?: number;
  /** Closes the socket; whoever gives another keeps count of what it was closed with. */
  readonly close?: (code: number, reason: string) => void;
  /** How a text becomes a message, where the native parser is not exact enough. */
  readonly read?: (text: string) => ReadMessageResult;
}

const defaultPingMs = 30_000;

/** RFC 6455: data of a kind that this side does not take. */
const unsupportedDataCode = 1003;

const ignore = (): void => {};

/** The other end: a transport over a socket that was accepted under the subprotocol `mcp`. */
export class WebSocketServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** Gets what the sender of a malformed message is to be told; sent at once where nobody asks for it. */
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
        take: (value) => {
          const answer = malformedMessageResponse(value);
          if (answer === undefined) this.onmessage?.(value as JSONRPCMessage);
          else this.#reject(answer);
          return true;
        },
      },
      onUnreadable: (what, reason) => {
        if (what === "text") return this.#reject(parseErrorResponse(reason));
        const close = this.#options.close ?? ((code, why) => this.#socket.close(code, why));
        close(unsupportedDataCode, "Messages are text. Send JSON in text frames.");
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

/** How long a client may take to hear why it is closed, in milliseconds. */
const closeGraceMs = 1_000;

/** One that is being closed under a code, such as for a message that is too long, is left time to read it. */
const waitForClose = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), closeGraceMs).unref();
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
