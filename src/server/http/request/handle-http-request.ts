import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../../types/principal.ts";
import type { KeySetProblem } from "../auth/host-auth.ts";
import { pathOfTarget } from "../checks/http-route.ts";
import type { HostHealth, HostProblem } from "../host-options.ts";
import { type HttpRejection, isHttpRejection } from "../http-rejection.ts";
import { isLoopback } from "../loopback.ts";
import { readCallerCredentials } from "../request-guard.ts";
import { sendRejection } from "../wire/send-rejection.ts";
import {
  anonymousPrincipal,
  authenticateCaller,
  authenticateOptional,
  type HostServices,
  internalErrorRejection,
} from "./host-services.ts";
import { serveRequest } from "./serve-request.ts";

const writeJson = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(response.req.method === "HEAD" ? "" : text);
};

type CallerObserver = (principal: Principal) => void;

const routeRequest = async (
  services: HostServices,
  request: IncomingMessage,
  response: ServerResponse,
  note: CallerObserver,
): Promise<HttpRejection | undefined> => {
  const originRejection = services.guard.origin(request);
  const route = services.guard.route(request);
  if (route === "healthz" || route === "readyz") {
    const { status, body } = await answerHealth(services, request, route, originRejection !== undefined);
    writeJson(response, status, body);
    return undefined;
  }
  if (originRejection !== undefined) return originRejection;
  const { origin } = request.headers;
  if (origin !== undefined && services.settings.allowedOrigins.has(origin)) {
    exposeToOrigin(response, origin);
    if (isPreflight(request)) {
      answerPreflight(request, response);
      return undefined;
    }
  }
  if (typeof route !== "string") return route;
  if (route === "metadata") {
    writeJson(response, 200, services.metadata);
    return undefined;
  }
  const proof = readCallerCredentials(request);
  const isOpen = route === "routes" && services.options.isOpen?.(pathOfTarget(request.url!)) === true;
  const found = await (isOpen ? authenticateOptional : authenticateCaller)(services, proof);
  if (isHttpRejection(found)) return found;
  if (found.principal !== anonymousPrincipal) note(found.principal);
  return response.destroyed
    ? undefined
    : serveRequest(services, route, { request, response, proof, ...found });
};

/** Never rejects. */
export const handleHttpRequest = async (
  services: HostServices,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { onAccess } = services.options;
  const began = performance.now();
  let agent: string | undefined;
  if (onAccess !== undefined) {
    response.once("close", () =>
      onAccess({
        method: request.method!,
        path: pathOfTarget(request.url ?? "").slice(0, 200),
        // As in nginx: the client closed early.
        status: response.headersSent ? response.statusCode : 499,
        ms: Math.round((performance.now() - began) * 1000) / 1000,
        agent,
      }),
    );
  }
  try {
    const rejection = await routeRequest(services, request, response, (principal) => {
      agent = principal.agent;
    });
    if (rejection !== undefined && !response.destroyed) sendRejection(request, response, rejection);
  } catch (error) {
    services.onError(error);
    if (response.headersSent) response.destroy();
    else sendRejection(request, response, internalErrorRejection());
  }
};

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

/** Rejections too. Cookies are not supported. */
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
const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  const asked = request.headers["access-control-request-headers"] ?? "";
  const names = asked.split(",").map((name) => name.trim().toLowerCase());
  const headers = new Set([...baseCorsHeaders, ...names.slice(0, 64).filter(isCorsHeader)]);
  response.setHeader("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE");
  response.setHeader("access-control-allow-headers", [...headers].join(", "));
  response.setHeader("access-control-max-age", "600");
  response.writeHead(204).end();
};

interface HealthResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** `/healthz` reports liveness, `/readyz` readiness. Only local and authenticated callers see details. */
const answerHealth = async (
  services: HostServices,
  request: IncomingMessage,
  route: "healthz" | "readyz",
  isUnlistedHost: boolean,
): Promise<HealthResponse> => {
  if (services.isDraining()) return { status: 503, body: { status: "draining" } };
  if (route === "healthz") return { status: 200, body: { status: "ok" } };
  const { status, servers, problems } = await collectHealth(services);
  const parts = problems.map(({ part }) => ({ part }));
  const showsNames =
    !isUnlistedHost && (isDirectLocalRequest(request) || (await isAuthenticated(services, request)));
  const details = showsNames ? { problems, servers } : parts.length === 0 ? {} : { problems: parts };
  // Tools of other servers work.
  const word = { ok: "ready", degraded: "degraded", failing: "not_ready" }[status];
  return { status: status === "failing" ? 503 : 200, body: { status: word, ...details } };
};

const collectHealth = async ({ options, keysProblem }: HostServices): Promise<Required<HostHealth>> => {
  const found = (await options.health?.()) ?? { status: "ok", servers: [] };
  const keys = keysProblem();
  return {
    status: keys === undefined ? found.status : withKeysProblem(found.status, keys),
    servers: found.servers.map(({ id, status }) => ({ id, status })),
    problems: [...(keys === undefined ? [] : [keysHostProblem(keys)]), ...(found.problems ?? [])],
  };
};

/** Calls work until the last key set expires. */
const withKeysProblem = (
  status: HostHealth["status"],
  { holdsUntil }: KeySetProblem,
): HostHealth["status"] => (holdsUntil === undefined || status === "failing" ? "failing" : "degraded");

const keysHostProblem = ({ message, holdsUntil }: KeySetProblem): HostProblem => {
  if (holdsUntil === undefined) return { part: "jwks", message };
  const until = new Date(holdsUntil).toISOString();
  return {
    part: "jwks",
    message: `${message} The last key set is used until ${until}. After that every caller receives 503.`,
  };
};

const isAuthenticated = async ({ guard }: HostServices, request: IncomingMessage): Promise<boolean> =>
  request.headers.authorization !== undefined &&
  !isHttpRejection(await guard.caller(readCallerCredentials(request)));

/** Excludes requests through a local proxy. */
const isDirectLocalRequest = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(socket.remoteAddress) &&
  isLoopback(headers.host?.replace(/:\d+$/, "")) &&
  !Object.keys(headers).some((name) => proxyHeaderPattern.test(name));

const proxyHeaderPattern =
  /^(?:via|forwarded|x-(?:original-)?forwarded(?:-.+)?|x-real-ip|x-(?:original|envoy)-.+|.+-(?:client|connecting)-?ip(?:v6)?)$/;
