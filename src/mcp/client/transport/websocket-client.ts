import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { WebSocket } from "ws";
import { FilteredTransport } from "./filtered-transport.ts";
import {
  defaultMaxMessageBytes,
  type ServerTransport,
  TransportError,
  type TransportFault,
} from "./server-transport.ts";
import { closeSocket, listenToSocket, sendOver, subprotocol } from "./websocket-connection.ts";

export interface WebSocketClientOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxMessageBytes?: number | undefined;
  readonly pingMs?: number;
}

const defaultPingMs = 30_000;

/** Not in the current specification, but still used by servers. */
export class WebSocketClientTransport extends FilteredTransport implements ServerTransport {
  readonly kind = "websocket";

  readonly #options: WebSocketClientOptions;
  #socket: WebSocket | undefined;
  #stopListening: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: WebSocketClientOptions) {
    super();
    this.#options = options;
  }

  start(): Promise<void> {
    if (this.fault !== undefined) return Promise.reject(new TransportError(this.fault, false));
    const { url, headers, maxMessageBytes = defaultMaxMessageBytes, pingMs = defaultPingMs } = this.#options;
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url.replace(/^http/, "ws"), subprotocol, {
        headers: { ...headers },
        maxPayload: maxMessageBytes,
        followRedirects: false,
        // Messages are small, and each compressor keeps memory.
        perMessageDeflate: false,
      });
      this.#socket = socket;
      const refuse = () => reject(new TransportError(this.fault as TransportFault, false));
      socket.once("unexpected-response", (request, response) => {
        this.#fail({ kind: "unreachable", reason: `it answered HTTP ${response.statusCode ?? "unknown"}` });
        request.destroy();
        refuse();
      });
      this.#stopListening = listenToSocket(socket, {
        intake: this.intake,
        maxBytes: maxMessageBytes,
        pingMs,
        onFault: (fault) => {
          this.#fail(fault);
          refuse();
        },
      });
      socket.once("open", () => resolve());
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket;
    if (this.fault !== undefined || socket === undefined) {
      const fault = this.fault ?? { kind: "closed", reason: "it is not started" };
      return Promise.reject(new TransportError(fault, false));
    }
    this.intake.trackRequest(message);
    return sendOver(socket, message).catch(() => {
      throw new TransportError(this.fault ?? { kind: "unreachable", reason: "the connection broke" }, true);
    });
  }

  close(): Promise<void> {
    this.#fail({ kind: "closed", reason: "the connection was closed" });
    return this.#ending ?? Promise.resolve();
  }

  #fail(fault: TransportFault): void {
    if (this.fault !== undefined) return;
    this.fault = fault;
    this.#stopListening?.();
    const socket = this.#socket;
    if (socket !== undefined) this.#ending = closeSocket(socket, fault.kind === "closed");
    this.onclose?.();
  }
}
