import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { WebSocketServer } from "ws";
import { WebSocketServerTransport } from "../../../src/server/gateway/transport/websocket-server.ts";
import { toyServer } from "./toy-server.ts";

export interface ToyServer {
  readonly url: string;
  readonly seen: { readonly method: string; readonly headers: IncomingHttpHeaders }[];
  readonly cancels: string[];
  readonly handler?: ReturnType<typeof createMcpHandler>;
  readonly stop: () => Promise<void>;
}

export const listenOnLoopback = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

export const stopServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Streamable HTTP of both eras, without sessions. */
export const startToyHttp = async (legacy: "stateless" | "reject" = "stateless"): Promise<ToyServer> => {
  const seen: ToyServer["seen"] = [];
  const cancels: string[] = [];
  const handler = createMcpHandler(() => toyServer(cancels), { legacy });
  const listener = getRequestListener((request) => handler.fetch(request));
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers });
    void listener(request, response);
  });
  const place = await listenOnLoopback(server);
  return {
    url: `http://${place}/mcp`,
    seen,
    cancels,
    handler,
    stop: async () => {
      await handler.close();
      await stopServer(server);
    },
  };
};

/** Streamable HTTP with sessions, as servers of the old era have it. */
export const startToySessions = async (): Promise<ToyServer & { readonly forget: () => void }> => {
  const seen: ToyServer["seen"] = [];
  const cancels: string[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await toyServer(cancels).connect(transport);
    return transport;
  };
  const listener = getRequestListener(async (request) => {
    const known = request.headers.get("mcp-session-id");
    if (known !== null) {
      return (
        (await sessions.get(known)?.handleRequest(request)) ??
        new Response("no such session", { status: 404 })
      );
    }
    const body: unknown = await request.clone().json();
    if (!isInitializeRequest(body)) return new Response("initialize first", { status: 400 });
    return (await open()).handleRequest(request);
  });
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers });
    void listener(request, response);
  });
  const place = await listenOnLoopback(server);
  return {
    url: `http://${place}/mcp`,
    seen,
    cancels,
    forget: () => sessions.clear(),
    stop: () => stopServer(server),
  };
};

/** The same over WebSocket. */
export const startToySocket = async (legacy: "serve" | "reject" = "serve"): Promise<ToyServer> => {
  const seen: ToyServer["seen"] = [];
  const cancels: string[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => offered.has("mcp") && "mcp" });
  sockets.on("connection", (socket, request) => {
    seen.push({ method: "GET", headers: request.headers });
    serveStdio(() => toyServer(cancels), { legacy, transport: new WebSocketServerTransport(socket) });
  });
  const place = await listenOnLoopback(server);
  return {
    url: `ws://${place}/mcp`,
    seen,
    cancels,
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await stopServer(server);
    },
  };
};
