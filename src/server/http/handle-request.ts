import type { IncomingMessage, ServerResponse } from "node:http";
import { checkJsonContent } from "../request/check-request.ts";
import { errorResponse, HttpError, isLongLived, jsonResponse, toHttpError } from "../request/http-error.ts";
import { checkContentLength, clientGoneError, readBytes } from "../request/read-body.ts";
import {
  type HandledRequest,
  noSlot,
  type RequestSlot,
  type RequestStages,
  serveRequest,
} from "../request/serve-request.ts";
import { admitRequest, type HostSlot } from "./admit-request.ts";
import type { AuthenticatedCaller } from "./auth/host-auth.ts";
import { checkIncoming, pathOfTarget } from "./check-incoming.ts";
import { healthResponse } from "./health.ts";
import {
  anonymousPrincipal,
  authenticateCaller,
  authenticateOptional,
  beginSlot,
  type CallerCredentials,
  type HostRoute,
  type HostState,
  readCallerCredentials,
  takeSlot,
} from "./host-state.ts";
import { createLightRequest, toWebRequest } from "./wire/web-request.ts";
import { writeResponse } from "./wire/write-response.ts";

interface HostRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** The request as endpoints see it, without credentials. */
  readonly light: Request;
  readonly credentials: CallerCredentials;
  readonly disconnected: AbortController;
  /** For the access log. */
  agent: string | undefined;
  /** Health checks of refused requests are answered without details. */
  isRefused: boolean;
}

type HostStages = RequestStages<HostRequest, HostRoute, AuthenticatedCaller, RequestSlot | HostSlot>;
type HostExchange = HandledRequest<HostRequest, HostRoute, AuthenticatedCaller, RequestSlot | HostSlot>;

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The handler never rejects. */
export const createRequestHandler = (host: HostState): RequestHandler => {
  const stages = hostStages(host);
  return async (request, response) => {
    const disconnected = new AbortController();
    const incoming: HostRequest = {
      request,
      response,
      path: pathOfTarget(request.url ?? ""),
      light: createLightRequest(request, disconnected.signal),
      credentials: readCallerCredentials(request),
      disconnected,
      agent: undefined,
      isRefused: false,
    };
    logAccess(host, incoming);
    response.once("close", () => {
      if (!response.writableFinished)
        disconnected.abort(new DOMException("The client disconnected.", "AbortError"));
    });
    try {
      const answer = await serveRequest(stages, incoming);
      if (response.destroyed) await answer.body?.cancel();
      else await writeResponse(answer, response);
    } catch (error) {
      const failure = toHttpError(error, host.onError);
      if (response.headersSent) response.destroy();
      else await writeResponse(errorResponse(failure), response);
    }
  };
};

const logAccess = ({ options: { onAccess } }: HostState, incoming: HostRequest): void => {
  if (onAccess === undefined) return;
  const began = performance.now();
  const { request, response, path } = incoming;
  response.once("close", () =>
    onAccess({
      method: request.method!,
      path: path.slice(0, 200),
      // As in nginx: the client closed early.
      status: response.headersSent ? response.statusCode : 499,
      ms: Math.round((performance.now() - began) * 1000) / 1000,
      agent: incoming.agent,
    }),
  );
};

const isHealthPath = (path: string): boolean => path === "/healthz" || path === "/readyz";
const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

const hostStages = (host: HostState): HostStages => ({
  check: (incoming) => {
    const { request, response, light, path } = incoming;
    const { allowedOrigins } = host.settings;
    try {
      checkIncoming(request, light.headers, { allowedHosts: host.allowedHosts, allowedOrigins });
    } catch (error) {
      if (!isHealthPath(path)) throw error;
      incoming.isRefused = true;
      return;
    }
    const { origin } = request.headers;
    if (origin !== undefined && allowedOrigins.has(origin)) exposeToOrigin(response, origin);
  },
  route: ({ request, response, path }) => {
    const method = request.method!;
    // Set for listed origins only.
    if (isPreflight(request) && response.hasHeader("access-control-allow-origin"))
      return { kind: "preflight", method, path };
    const match = host.findRoute(method, path);
    if (match !== undefined) return match.route;
    if (host.options.routes === undefined)
      throw new HttpError(404, "not_found", `Not found. The MCP endpoint is ${host.settings.path}.`);
    if (forbiddenMethods.has(method))
      throw new HttpError(405, "method_not_allowed", `${method} is not supported.`);
    return { kind: "routes", method, path };
  },
  identify: async (incoming, { kind, path }) => {
    if (kind !== "mcp" && kind !== "routes") return { principal: anonymousPrincipal };
    const isOpen = kind === "routes" && host.options.isOpen?.(path) === true;
    const caller = await (isOpen ? authenticateOptional : authenticateCaller)(host, incoming.credentials);
    if (caller.principal !== anonymousPrincipal) incoming.agent = caller.principal.agent;
    return caller;
  },
  admit: ({ request, response, light }, { kind: route }, { principal }) => {
    if (route !== "mcp" && route !== "routes") return noSlot;
    if (response.destroyed) throw clientGoneError();
    const slot = admitRequest(host, request, principal, route === "mcp" ? light : undefined);
    response.once("close", slot.leave);
    return slot;
  },
  read: async ({ request, response, light }, { kind }, slot) => {
    if (kind !== "mcp" && kind !== "routes") return undefined;
    if (kind === "mcp" && request.method === "POST") checkJsonContent(light.headers);
    checkContentLength(request.headers["content-length"], host.settings);
    const body = hasBody(request) ? await readIncoming(host, request, response) : undefined;
    if ("checkBody" in slot) slot.checkBody?.(body);
    return body;
  },
  handle: async (handled) => {
    const { incoming, route } = handled;
    if (route.kind === "preflight") return preflightResponse(incoming.request);
    if (route.kind === "metadata") return jsonResponse(host.authenticator.metadata);
    if (route.kind === "healthz" || route.kind === "readyz")
      return healthResponse(host, incoming.request, route.kind, incoming.isRefused);
    const result = await callEndpoint(host, handled).catch((error: unknown) => {
      throw incoming.disconnected.signal.aborted ? clientGoneError() : error;
    });
    if (isStream(result) && (route.method === "GET" || isLongLived(result))) {
      try {
        keepStreamOpen(host, handled);
      } catch (error) {
        await result.body?.cancel();
        throw error;
      }
    }
    return result;
  },
  fail: (error) => errorResponse(toHttpError(error, host.onError)),
});

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
const exposeToOrigin = (response: ServerResponse, origin: string): void => {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "Origin");
  response.setHeader(
    "access-control-expose-headers",
    "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After",
  );
};

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" &&
  headers.origin !== undefined &&
  headers["access-control-request-method"] !== undefined;

/** Tool parameters travel in `Mcp-Param-*` headers. */
const preflightResponse = ({ headers }: IncomingMessage): Response => {
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

const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

const bodyLimitRemedy = "Send less, or raise maxBodyBytes.";

const readIncoming = (
  { settings }: HostState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Uint8Array> => {
  if (request.headers.expect !== undefined) response.writeContinue();
  const { maxBodyBytes, bodyTimeoutMs } = settings;
  // The error response needs the connection.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  return readBytes(chunks, { maxBodyBytes, bodyTimeoutMs, remedy: bodyLimitRemedy });
};

const callEndpoint = (
  host: HostState,
  { incoming, route, caller: { principal }, slot, body }: HostExchange,
): Promise<Response> => {
  const { options } = host;
  if (route.kind === "routes") {
    const isOpen = options.isOpen?.(route.path) === true;
    const request = toWebRequest(incoming.request, body, incoming.disconnected.signal, isOpen);
    // Open paths receive the cookie.
    return options.routes!(request, {
      principal: principal === anonymousPrincipal ? undefined : principal,
    });
  }
  const { kind, slots } = slot as HostSlot;
  return options.mcp.fetch(incoming.light, {
    principal,
    ...(body === undefined ? {} : { body }),
    hold: () => {
      const held = slots.map(({ hold }) => hold());
      return () => {
        for (const release of held) release();
      };
    },
    admitMore: (count) => {
      for (let taken = 0; taken < count; taken++) slots.push(takeSlot(host, principal, { kind }));
    },
  });
};

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/** A stream leaves the limits of calls, and ends with the rights of its caller. */
const keepStreamOpen = (host: HostState, { incoming, caller, slot }: HostExchange): void => {
  const { response, credentials } = incoming;
  const { principal } = caller;
  if ("kind" in slot && slot.kind !== "standing") {
    response.once("close", beginSlot(host, principal, "standing").leave);
    slot.leave();
  }
  // Without a token, the route ends its streams.
  if (principal === anonymousPrincipal) return;
  const leave = host.longLivedCallers.watch({
    ...caller,
    credentials,
    end: ({ message }) => {
      if (!response.headersSent || response.writableEnded) return void response.destroy();
      // An SSE comment, which clients ignore.
      response.end(`: ${message}\n\n`);
    },
  });
  response.once("close", leave);
};
