import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../../../types/principal.ts";
import { isLongLived } from "../../gateway/http/long-lived-response.ts";
import { isControlBytes, type MessageKind } from "../../gateway/wire/message-kind.ts";
import type { AuthenticatedCaller } from "../auth/host-auth.ts";
import { pathOfTarget } from "../checks/http-route.ts";
import { type HttpRejection, httpRejection, isHttpRejection } from "../http-rejection.ts";
import type { RequestSlot } from "../lifecycle/requests-in-flight.ts";
import { rateLimitKeyOf } from "../limits/rate-limit-key.ts";
import type { CallerCredentials } from "../request-guard.ts";
import { createLightRequest } from "../wire/light-request.ts";
import { contentLengthRejection, isClientGone, readIncomingBody } from "../wire/read-body.ts";
import { rejectionResponse } from "../wire/send-rejection.ts";
import { toWebRequest } from "../wire/to-web-request.ts";
import { writeResponse } from "../wire/write-response.ts";
import {
  acquireSlot,
  anonymousPrincipal,
  concurrencyRejection,
  type HostServices,
  isLimitRejection,
} from "./host-services.ts";

export interface AuthenticatedRequest extends AuthenticatedCaller {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly proof: CallerCredentials;
}

const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

/** Aborts when the client disconnects. */
export const serveRequest = async (
  services: HostServices,
  route: "mcp" | "routes",
  caller: AuthenticatedRequest,
): Promise<HttpRejection | undefined> => {
  const { request, response, principal } = caller;
  const isMcp = route === "mcp";
  const disconnected = new AbortController();
  const asked = isMcp ? createLightRequest(request, disconnected.signal) : undefined;
  const entry = admitRequest(services, caller, asked);
  if (isHttpRejection(entry)) return entry;
  response.once("close", () => {
    for (const { leave } of entry.slots) leave();
    if (!response.writableFinished)
      disconnected.abort(new DOMException("The client disconnected.", "AbortError"));
  });

  if (asked === undefined && forbiddenMethods.has(request.method!)) {
    return httpRejection(405, "method_not_allowed", `${request.method} is not supported.`);
  }
  const isPost = request.method === "POST";
  const content = isMcp && isPost ? contentRejection(request.headers) : undefined;
  const early = content ?? contentLengthRejection(request, services.settings.maxBodyBytes);
  if (early !== undefined) return early;
  let body: Buffer | undefined;
  if (hasBody(request)) {
    if (request.headers.expect !== undefined) response.writeContinue();
    const read = await readIncomingBody(request, services.settings);
    if (isClientGone(read)) return undefined;
    if (!Buffer.isBuffer(read)) return read;
    body = read;
  }

  const late = entry.checkBody(body);
  if (late !== undefined) return late;
  const read = body === undefined ? {} : { body };
  const answered =
    asked === undefined
      ? services.app!(...routeArguments(services, caller, body, disconnected.signal))
      : services.options.mcp.fetch(asked, {
          ...{ principal, ...read },
          hold: holdAllSlots(entry.slots),
          admitMore: admitMoreMessages(services, caller, entry),
        });
  const result = await answered.catch((error: unknown) => {
    if (!disconnected.signal.aborted) throw error;
    return undefined;
  });
  if (result === undefined) return undefined;
  if (response.destroyed) {
    await result.body?.cancel();
    return undefined;
  }
  if (isStream(result) && (request.method === "GET" || isLongLived(result))) {
    const full = moveToLongLived(services, caller, entry);
    if (full !== undefined) {
      await result.body?.cancel();
      return full;
    }
    // Without a token, the route ends its streams.
    if (caller.principal !== anonymousPrincipal) closeWhenTokenEnds(services, caller);
  }
  await writeResponse(result, response);
  return undefined;
};

/** Open paths receive the cookie. */
const routeArguments = (
  { options }: HostServices,
  { request, principal }: AuthenticatedRequest,
  body: Buffer | undefined,
  signal: AbortSignal,
): Parameters<NonNullable<HostServices["app"]>> => {
  const isOpen = options.isOpen?.(pathOfTarget(request.url!)) === true;
  return [
    toWebRequest(request, body, signal, isOpen),
    principal === anonymousPrincipal ? undefined : principal,
  ];
};

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

const moveToLongLived = (
  services: HostServices,
  { principal, response }: AuthenticatedRequest,
  { kind, slots }: AdmittedRequest,
): HttpRejection | undefined => {
  if (kind === "standing") return undefined;
  const refused = concurrencyRejection(services, principal, "standing");
  if (refused !== undefined) return refused;
  response.once("close", services.requestsInFlight.begin(rateLimitKeyOf(principal), "standing").leave);
  for (const { leave } of slots) leave();
  return undefined;
};

const admitMoreMessages =
  (services: HostServices, { principal }: AuthenticatedRequest, { kind, slots }: AdmittedRequest) =>
  (count: number): Response | undefined => {
    for (let taken = 0; taken < count; taken++) {
      const place = acquireSlot(services, principal, { kind });
      if (isHttpRejection(place)) return rejectionResponse(place);
      slots.push(place);
    }
    return undefined;
  };

/** A stream has no further messages to check. */
const closeWhenTokenEnds = (services: HostServices, { response, ...caller }: AuthenticatedRequest): void => {
  const leave = services.longLivedCallers.watch({
    ...caller,
    end: ({ message }) => {
      if (!response.headersSent || response.writableEnded) return void response.destroy();
      // An SSE comment, which clients ignore.
      response.end(`: ${message}\n\n`);
    },
  });
  response.once("close", leave);
};

/** No decompression, so a body cannot grow. */
const contentRejection = (headers: IncomingHttpHeaders): HttpRejection | undefined => {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    return httpRejection(415, "unsupported_encoding", "Send the body without a content-encoding.");
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase() === "application/json"
    ? undefined
    : httpRejection(
        415,
        "unsupported_media_type",
        "Send a JSON body with the header content-type: application/json.",
      );
};

interface AdmittedRequest {
  readonly kind: MessageKind;
  readonly slots: RequestSlot[];
  /** For requests admitted only as control traffic. */
  readonly checkBody: (body: Uint8Array | undefined) => HttpRejection | undefined;
}

const holdAllSlots = (slots: readonly RequestSlot[]) => (): (() => void) => {
  const held = slots.map(({ hold }) => hold());
  return () => {
    for (const release of held) release();
  };
};

const kindByMethod: Readonly<Record<string, MessageKind>> = { GET: "standing", DELETE: "note" };

interface AdmissionRequest {
  readonly request: IncomingMessage;
  readonly principal: Principal;
}

/** Over a limit, a POST is still read: cancellations and answers free what fills the limit. */
const admitRequest = (
  services: HostServices,
  { request, principal }: AdmissionRequest,
  webRequest: Request | undefined,
): AdmittedRequest | HttpRejection => {
  const { mcp } = services.options;
  const kind = kindByMethod[request.method!] ?? "call";
  const taken = acquireSlot(services, principal, { kind });
  if (!isHttpRejection(taken)) return { kind, slots: [taken], checkBody: () => undefined };
  if (webRequest === undefined || request.method !== "POST" || !isLimitRejection(taken)) return taken;
  const isOverRate = taken.status === 429;
  if (isOverRate && mcp.awaits?.(webRequest, { principal }) !== true) return taken;
  if (concurrencyRejection(services, principal, "note") !== undefined) return taken;
  const isAdmitted = (body: Uint8Array): boolean =>
    isOverRate ? mcp.awaits?.(webRequest, { principal, body }) === true : isControlBytes(body);
  return {
    kind: "note",
    slots: [services.requestsInFlight.begin(rateLimitKeyOf(principal), "note")],
    checkBody: (body) => (body !== undefined && isAdmitted(body) ? undefined : taken),
  };
};
