import { randomUUID } from "node:crypto";
import { serve } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Changes } from "./changes.ts";
import { keptEvents } from "./kept-events.ts";
import { upstream } from "./server.ts";

type Door = (request: Request) => Promise<Response>;

/** Legacy sessions by the id in their header. */
const sessions = (changes: Changes): Door => {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const make = upstream(changes, () => true);
  const start = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: keptEvents(),
      retryInterval: 100,
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    });
    await (await make({ era: "legacy" })).connect(transport);
    return transport;
  };
  return async (request) => {
    const id = request.headers.get("mcp-session-id");
    const transport = id === null ? await start() : open.get(id);
    return transport?.handleRequest(request) ?? new Response("There is no such session.", { status: 404 });
  };
};

/** Serves both eras at one loopback address. Resolves with the port. */
export const serveHttp = (changes: Changes, port: number): Promise<number> => {
  const modern = createMcpHandler(
    upstream(changes, () => false),
    { legacy: "reject" },
  );
  changes.listen((kind) =>
    kind === "tools" ? modern.notify.toolsChanged() : modern.notify.promptsChanged(),
  );
  const legacy = sessions(changes);
  const fetch: Door = async (request) =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    ((await isLegacyRequest(request)) ? legacy(request) : modern.fetch(request));
  return new Promise((resolve) => {
    serve({ fetch, port, hostname: "127.0.0.1" }, (address) => resolve(address.port));
  });
};
