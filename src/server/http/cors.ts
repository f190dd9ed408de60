import type { IncomingMessage, ServerResponse } from "node:http";

const corsHeaders: ReadonlySet<string> = new Set([
  "accept",
  "authorization",
  "baggage",
  "content-type",
  "last-event-id",
  "traceparent",
  "tracestate",
]);

const isCorsHeader = (name: string): boolean => corsHeaders.has(name) || /^mcp-[a-z0-9-]{1,64}$/.test(name);

const baseCorsHeaders = ["authorization", "content-type", "accept", "mcp-protocol-version", "mcp-session-id"];

/** Error responses too. Cookies are not supported. */
export const exposeToOrigin = (response: ServerResponse, origin: string): void => {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "Origin");
  response.setHeader(
    "access-control-expose-headers",
    "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After",
  );
};

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" &&
  headers.origin !== undefined &&
  headers["access-control-request-method"] !== undefined;

/** Tool parameters travel in `Mcp-Param-*` headers. */
export const preflightResponse = ({ headers }: IncomingMessage): Response => {
  const asked = headers["access-control-request-headers"] ?? "";
  const names = asked.split(",").map((name) => name.trim().toLowerCase());
  const allowed = new Set([...baseCorsHeaders, ...names.slice(0, 64).filter(isCorsHeader)]);
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": [...allowed].join(", "),
      "access-control-max-age": "600",
    },
  });
};
