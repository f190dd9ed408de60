import { lookup as resolve } from "node:dns";
import * as Effect from "effect/Effect";
import { Agent, Pool } from "undici";
import { OutsideError } from "../../words/errors.ts";
import { type AllowList, allowList } from "../allow.ts";
import { readHeaders } from "../headers.ts";
import type { OutsideRequest, OutsideResponse, RequestError } from "../outside.ts";
import { type Hop, isRedirect, nextHop, repeats } from "../redirect.ts";
import { readUrl, shown } from "../url.ts";
import { connector, type Lookup } from "./connector.ts";
import { exchange } from "./exchange.ts";

/** What an open client goes by; every value is settled. */
export interface ClientSettings {
  readonly places: readonly string[];
  readonly lookup: Lookup | undefined;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  readonly redirects: number;
}

export interface Follower {
  readonly request: (request: OutsideRequest) => Effect.Effect<OutsideResponse, RequestError>;
  readonly close: () => Promise<void>;
}

const systemLookup: Lookup = (hostname, answer) =>
  resolve(hostname, { all: true }, (error, addresses) => answer(error, addresses ?? []));

const firstHop = (request: OutsideRequest, allow: AllowList): Hop | OutsideError => {
  const url = readUrl(request.url, allow);
  if (url instanceof OutsideError) return url;
  const headers = readHeaders({ "user-agent": "haft", ...request.headers });
  if (typeof headers === "string") {
    return new OutsideError("outside_refused", `The request to ${shown(url)} is refused: ${headers}.`, {
      ran: false,
    });
  }
  return { url, method: request.method ?? "GET", headers, body: request.body };
};

const tooMany = (count: number): OutsideError =>
  new OutsideError("outside_refused", `The outgoing client refused to follow more than ${count} redirects.`, {
    ran: true,
  });

/** Whoever asked does not want to go there, though the guard would let it. */
const unwanted = (reason: string, isRedirect: boolean): OutsideError =>
  new OutsideError("outside_refused", isRedirect ? `A redirect was not followed: ${reason}` : reason, {
    ran: isRedirect,
  });

/** Sends requests and follows their redirects by hand, so that every hop is judged like the first. */
export const openFollower = (settings: ClientSettings): Follower => {
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

  const request = Effect.fnUntraced(function* (asked: OutsideRequest) {
    const { maxBytes = settings.maxBytes, redirects = settings.redirects, idempotent = false } = asked;
    let hop = firstHop(asked, allow);
    for (let count = 0; ; count++) {
      if (hop instanceof OutsideError) return yield* Effect.fail(hop);
      const reason = asked.refuse?.(hop.url);
      if (reason !== undefined) return yield* Effect.fail(unwanted(reason, count > 0));
      const response: OutsideResponse = yield* exchange(agent, hop, { maxBytes, ran: count > 0 });
      const location = response.headers.get("location");
      if (location === null || !isRedirect(response.status, location)) return response;
      if (!(count < redirects)) return yield* Effect.fail(tooMany(redirects));
      hop = nextHop(hop, response.status, location, allow);
      // That nothing was done is the server's claim, so whoever may not do it twice gets the redirect as the answer.
      if (!(hop instanceof OutsideError) && repeats(hop) && !idempotent) return response;
    }
  });

  return { request, close: () => agent.destroy() };
};
