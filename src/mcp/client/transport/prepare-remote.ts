import {
  type AuthProvider,
  type FetchLike,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { WebSocket } from "ws";
import { ConfigurationError } from "../../../types/errors.ts";
import type { McpSessionServices, RemoteServer } from "../../../types/mcp.ts";
import { HttpClientTransport } from "./http/http-client.ts";
import { FilteredTransport } from "./inbound-messages.ts";
import {
  defaultMaxMessageBytes,
  type ServerTransport,
  TransportError,
  type TransportFault,
} from "./server-transport.ts";
import { closeSocket, listenToSocket, sendOver, subprotocol } from "./websocket-connection.ts";

interface RemoteTransport {
  readonly open: () => ServerTransport;
  readonly isHttp: boolean;
  readonly isLegacyTransport: boolean;
  readonly openLegacy?: () => ServerTransport;
}

type RemoteAuthorization = AuthProvider & { readonly fetch?: (base: FetchLike) => FetchLike };

const readServerUrl = ({ id, url }: { readonly id: string; readonly url: string }): URL => {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !/^(https?|wss?):$/.test(read.protocol)) {
    throw new ConfigurationError(
      "invalid_config",
      `The url of the MCP server "${id}" cannot be used; it must be absolute, such as https://host/mcp.`,
    );
  }
  if (read.username !== "" || read.password !== "") {
    throw new ConfigurationError(
      "invalid_config",
      `The url of the MCP server "${id}" must not carry a user name or password; set a header and name a secret.`,
    );
  }
  return read;
};

interface WebSocketClientOptions {
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

export const prepareRemote = (
  server: RemoteServer & { readonly id: string },
  services: McpSessionServices,
  headers: Readonly<Record<string, string>>,
): RemoteTransport => {
  const url = readServerUrl(server);
  const { maxMessageBytes } = server;
  if (server.transport === "websocket" || url.protocol.startsWith("ws")) {
    const open = () => new WebSocketClientTransport({ url: url.href, headers, maxMessageBytes });
    return { open, isHttp: false, isLegacyTransport: false };
  }
  const authProvider =
    server.oauth === false
      ? undefined
      : (services.authorize?.(server, services.principal) as RemoteAuthorization | undefined);
  const options = (fetch: FetchLike) => ({
    fetch: authProvider?.fetch?.(fetch) ?? fetch,
    ...(authProvider === undefined ? {} : { authProvider }),
  });
  const common = { url, headers, maxMessageBytes };
  const openSse = () =>
    new HttpClientTransport({
      ...common,
      kind: "sse",
      open: (fetch) => new SSEClientTransport(url, options(fetch)),
    });
  if (server.transport === "sse") return { open: openSse, isHttp: true, isLegacyTransport: true };
  const open = () =>
    new HttpClientTransport({
      ...common,
      kind: "http",
      open: (fetch) => new StreamableHTTPClientTransport(url, options(fetch)),
    });
  return {
    open,
    isHttp: true,
    isLegacyTransport: false,
    ...(server.transport === undefined ? { openLegacy: openSse } : {}),
  };
};
