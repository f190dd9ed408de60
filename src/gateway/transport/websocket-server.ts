import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { WebSocket } from "ws";
import type { ReadMessage } from "../../mcp/client/transport/read-message.ts";
import { closeSocket, listenToSocket, sendOver } from "../../mcp/client/transport/websocket-wire.ts";
import { defaultMaxMessageBytes } from "../../mcp/client/transport/wire.ts";

interface WebSocketServerOptions {
  readonly pingMs?: number;
  /** As the server that accepted the socket was told, for the words of an error. */
  readonly maxMessageBytes?: number;
  /** How a text becomes a message, where the native parser is not exact enough. */
  readonly read?: (text: string) => ReadMessage;
}

const defaultPingMs = 30_000;

const isMessage = (value: unknown): value is JSONRPCMessage =>
  typeof value === "object" && value !== null && (value as { readonly jsonrpc?: unknown }).jsonrpc === "2.0";

/** The other end: a transport over a socket that was accepted under the subprotocol `mcp`. */
export class WebSocketServerTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;

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
          if (Array.isArray(value) || !isMessage(value)) return false;
          this.onmessage?.(value);
          return true;
        },
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

  #end(): void {
    if (this.#ending !== undefined) return;
    this.#stopListening?.();
    const { readyState, CLOSING } = this.#socket;
    this.#ending = readyState === CLOSING ? closing(this.#socket) : closeSocket(this.#socket, true);
    this.onclose?.();
  }
}

/** How long a client may take to hear why it is closed, in milliseconds. */
const farewellMs = 1_000;

/** One that is being closed under a code, such as for a message that is too long, is left time to read it. */
const closing = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), farewellMs).unref();
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
