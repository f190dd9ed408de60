import { lookup as resolve } from "node:dns";
import * as Effect from "effect/Effect";
import { Agent, type Dispatcher, Pool } from "undici";
import { HttpEgressError } from "../../../types/errors.ts";
import { type AllowList, allowList } from "../allow-list.ts";
import { readHeaders } from "../headers.ts";
import type { HttpEgressRequest, HttpEgressResponse, RequestError } from "../http-egress.ts";
import { isRedirect, nextHop, type RequestHop, repeatsSideEffects } from "../redirect.ts";
import { displayUrl, readUrl } from "../url.ts";
import { connector, type HostLookup } from "./connector.ts";
import { acceptEncoding, readBodyStream } from "./read-body-stream.ts";
import { toRequestError } from "./to-request-error.ts";

export interface EgressSettings {
  readonly places: readonly string[];
  readonly lookup: HostLookup | undefined;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  readonly redirects: number;
}

export interface RedirectFollower {
  readonly request: (request: HttpEgressRequest) => Effect.Effect<HttpEgressResponse, RequestError>;
  readonly close: () => Promise<void>;
}

const systemLookup: HostLookup = (hostname, answer) =>
  resolve(hostname, { all: true }, (error, addresses) => answer(error, addresses ?? []));

const firstHop = (request: HttpEgressRequest, allow: AllowList): RequestHop | HttpEgressError => {
  const url = readUrl(request.url, allow);
  if (url instanceof HttpEgressError) return url;
  const headers = readHeaders({ "user-agent": "haft", ...request.headers });
  if (typeof headers === "string") {
    return new HttpEgressError(
      "outside_refused",
      `The request to ${displayUrl(url)} is refused: ${headers}.`,
      {
        ran: false,
      },
    );
  }
  return { url, method: request.method ?? "GET", headers, body: request.body };
};

const tooManyRedirectsError = (count: number): HttpEgressError =>
  new HttpEgressError("outside_refused", `The HTTP client refused to follow more than ${count} redirects.`, {
    ran: true,
  });

const refusedByCallerError = (reason: string, isRedirect: boolean): HttpEgressError =>
  new HttpEgressError("outside_refused", isRedirect ? `A redirect was not followed: ${reason}` : reason, {
    ran: isRedirect,
  });

/** Every hop passes the same checks as the first. */
export const openRedirectFollower = (settings: EgressSettings): RedirectFollower => {
  const { connectTimeoutMs, lookup = systemLookup } = settings;
  const allow = allowList(settings.places);
  const agent = new Agent({
    connections: 128,
    maxHeaderSize: 16 * 1024,
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        connect: connector(new URL(origin), { allow, lookup, connectTimeoutMs }),
      }),
  });

  const request = Effect.fnUntraced(function* (asked: HttpEgressRequest) {
    const { maxBytes = settings.maxBytes, redirects = settings.redirects, idempotent = false } = asked;
    let hop = firstHop(asked, allow);
    for (let count = 0; ; count++) {
      if (hop instanceof HttpEgressError) return yield* Effect.fail(hop);
      const reason = asked.refuse?.(hop.url);
      if (reason !== undefined) return yield* Effect.fail(refusedByCallerError(reason, count > 0));
      const response: HttpEgressResponse = yield* exchange(agent, hop, { maxBytes, ran: count > 0 });
      const location = response.headers.get("location");
      if (location === null || !isRedirect(response.status, location)) return response;
      if (!(count < redirects)) return yield* Effect.fail(tooManyRedirectsError(redirects));
      hop = nextHop(hop, response.status, location, allow);
      // That nothing was done is only the server's claim.
      if (!(hop instanceof HttpEgressError) && repeatsSideEffects(hop) && !idempotent) return response;
    }
  });

  return { request, close: () => agent.destroy() };
};

const toHeaders = (fields: Dispatcher.ResponseData["headers"]): Headers => {
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
};

interface ExchangeLimits {
  readonly maxBytes: number;
  /** Whether an earlier hop of the same request was sent. */
  readonly ran: boolean;
}

/** Sends one request without following redirects. Interruption destroys the socket. */
const exchange = (
  dispatcher: Dispatcher,
  hop: RequestHop,
  { maxBytes, ran }: ExchangeLimits,
): Effect.Effect<HttpEgressResponse, RequestError> =>
  Effect.callback((resume, signal) => {
    const fail = (error: Error, sent: boolean) => resume(Effect.fail(toRequestError(error, hop, sent)));
    dispatcher.request(
      {
        origin: hop.url.origin,
        path: hop.url.pathname + hop.url.search,
        method: hop.method,
        headers: [...hop.headers, ["accept-encoding", acceptEncoding]].flat(),
        body: hop.body ?? null,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      (error, answer) => {
        if (error !== null) return fail(error, ran);
        const { statusCode: status, body } = answer;
        let headers: Headers;
        try {
          headers = toHeaders(answer.headers);
        } catch {
          body.on("error", () => {}).destroy();
          return fail(new Error("the headers of the response are not valid HTTP"), true);
        }
        const finish = (bytes: Uint8Array) =>
          resume(Effect.succeed({ url: hop.url.href, status, headers, body: bytes }));
        if (isRedirect(status, headers.get("location"))) {
          body.on("error", () => {}).destroy();
          return finish(new Uint8Array());
        }
        readBodyStream(body, { encoding: headers.get("content-encoding"), maxBytes }, (broken, bytes) =>
          broken === undefined ? finish(bytes) : fail(broken, true),
        );
      },
    );
  });
