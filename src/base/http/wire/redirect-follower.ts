import { lookup as resolve } from "node:dns";
import * as Effect from "effect/Effect";
import { Agent, Pool } from "undici";
import { HttpEgressError } from "../../../types/errors.ts";
import { type AllowList, allowList } from "../allow-list.ts";
import { readHeaders } from "../headers.ts";
import type { HttpEgressRequest, HttpEgressResponse, RequestError } from "../http-egress.ts";
import { isRedirect, nextHop, type RequestHop, repeatsSideEffects } from "../redirect.ts";
import { displayUrl, readUrl } from "../url.ts";
import { connector, type HostLookup } from "./connector.ts";
import { exchange } from "./exchange.ts";

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
  new HttpEgressError(
    "outside_refused",
    `The outgoing client refused to follow more than ${count} redirects.`,
    {
      ran: true,
    },
  );

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
