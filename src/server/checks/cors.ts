import type { IncomingMessage, ServerResponse } from "node:http";

const known: ReadonlySet<string> = new Set([
  "accept",
  "authorization",
  "baggage",
  "content-type",
  "last-event-id",
  "traceparent",
  "tracestate",
]);

const isKnown = (name: string): boolean => known.has(name) || /^mcp-[a-z0-9-]{1,64}$/.test(name);

const always = ["authorization", "content-type", "accept", "mcp-protocol-version", "mcp-session-id"];

/** Lets pages of a listed origin read every answer, refusals too. Credentials of a browser are never asked for. */
export const allowReading = (response: ServerResponse, origin: string): void => {
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

/** What a page may send. Parameters of tools travel in `Mcp-Param-*` headers, so all of `Mcp-*` is known. */
export const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  const asked = request.headers["access-control-request-headers"] ?? "";
  const names = asked.split(",").map((name) => name.trim().toLowerCase());
  const headers = new Set([...always, ...names.slice(0, 64).filter(isKnown)]);
  response.setHeader("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE");
  response.setHeader("access-control-allow-headers", [...headers].join(", "));
  response.setHeader("access-control-max-age", "600");
  response.writeHead(204).end();
};
