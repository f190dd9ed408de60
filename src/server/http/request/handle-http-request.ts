import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../words/principal.ts";
import { pathOf } from "../checks/place.ts";
import { proofOf } from "../gate.ts";
import { type HttpRefusal, isRefusal } from "../refusal.ts";
import { refuse } from "../wire/refuse.ts";
import { answerHealth } from "./health.ts";
import { broken, type HostServices, identify, identifyOpen, nobody } from "./host-services.ts";
import { serve } from "./serve.ts";

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

/** Notes the caller as soon as it is known, for the access line. */
type NoteCaller = (principal: Principal) => void;

const answer = async (
  services: HostServices,
  request: IncomingMessage,
  response: ServerResponse,
  note: NoteCaller,
): Promise<HttpRefusal | undefined> => {
  const strange = services.gate.origin(request);
  const place = services.gate.place(request);
  if (place === "healthz" || place === "readyz") {
    const { status, body } = await answerHealth(services, request, place, strange !== undefined);
    writeJson(response, status, body);
    return undefined;
  }
  if (strange !== undefined) return strange;
  const { origin } = request.headers;
  if (origin !== undefined && services.settings.allowedOrigins.has(origin)) {
    allowReading(response, origin);
    if (isPreflight(request)) {
      answerPreflight(request, response);
      return undefined;
    }
  }
  if (typeof place !== "string") return place;
  if (place === "metadata") {
    writeJson(response, 200, services.metadata);
    return undefined;
  }
  const proof = proofOf(request);
  const isOpen = place === "routes" && services.options.isOpen?.(pathOf(request.url!)) === true;
  const found = await (isOpen ? identifyOpen : identify)(services, proof);
  if (isRefusal(found)) return found;
  if (found.principal !== nobody) note(found.principal);
  return response.destroyed ? undefined : serve(services, place, { request, response, proof, ...found });
};

/** One request from its first check to its last byte. Never rejects. */
export const visit = async (
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
        path: pathOf(request.url ?? "").slice(0, 200),
        // As nginx has it: the client closed before there was an answer.
        status: response.headersSent ? response.statusCode : 499,
        ms: Math.round((performance.now() - began) * 1000) / 1000,
        agent,
      }),
    );
  }
  try {
    const refused = await answer(services, request, response, (principal) => {
      agent = principal.agent;
    });
    if (refused !== undefined && !response.destroyed) refuse(request, response, refused);
  } catch (error) {
    services.onError(error);
    if (response.headersSent) response.destroy();
    else refuse(request, response, broken());
  }
};

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
const allowReading = (response: ServerResponse, origin: string): void => {
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

/** What a page may send. Parameters of tools travel in `Mcp-Param-*` headers, so all of `Mcp-*` is known. */
const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  const asked = request.headers["access-control-request-headers"] ?? "";
  const names = asked.split(",").map((name) => name.trim().toLowerCase());
  const headers = new Set([...always, ...names.slice(0, 64).filter(isKnown)]);
  response.setHeader("access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE");
  response.setHeader("access-control-allow-headers", [...headers].join(", "));
  response.setHeader("access-control-max-age", "600");
  response.writeHead(204).end();
};
