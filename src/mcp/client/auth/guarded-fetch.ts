import type { FetchLike } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import { endpointProblem, isLoopbackUrl } from "../../../base/credentials/oauth/endpoint-problem.ts";
import { hostAndPortOf, parseAllowEntry } from "../../../base/http/host-and-port.ts";
import type { HttpMethod } from "../../../base/http/http-egress.ts";
import { displayUrl } from "../../../base/http/url.ts";
import type { HostLookup } from "../../../base/http/wire/connector.ts";
import { openRedirectFollower } from "../../../base/http/wire/redirect-follower.ts";
import { HttpEgressError, ToolTimeoutError } from "../../../types/errors.ts";

export interface AuthEgressOptions {
  /** Allowed private addresses as `host:port`. */
  readonly allow?: readonly string[];
  readonly lookup?: HostLookup;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

const authRequestLimits = { timeoutMs: 30_000, maxBytes: 1_048_576, connectTimeoutMs: 10_000 };

/** The URL was named by an untrusted MCP server. */
export const authUrlProblem = (url: string, server: URL): string | undefined => {
  const reason = endpointProblem(url);
  if (reason !== undefined) return reason;
  const isOutside = isLoopbackUrl(new URL(url)) && !isLoopbackUrl(server);
  return isOutside ? "is a loopback address, but the MCP server is not" : undefined;
};

const requestBodyText = (body: unknown): string | undefined => {
  if (body === undefined || body === null) return undefined;
  return typeof body === "string" ? body : String(body);
};

const slowServerError = (url: URL, timeoutMs: number): ToolTimeoutError =>
  new ToolTimeoutError("timed_out", `${displayUrl(url)} did not answer completely within ${timeoutMs} ms.`);

/**
 * Allows https (loopback if the MCP server is on loopback), no redirects, and only public addresses, the
 * server's host and `allow`.
 */
export const createGuardedFetch = (serverUrl: string, guard: AuthEgressOptions = {}): FetchLike => {
  const server = new URL(serverUrl);
  const { timeoutMs = authRequestLimits.timeoutMs, maxBytes = authRequestLimits.maxBytes, lookup } = guard;
  const allowedPlaces = [...(guard.allow ?? []).map(parseAllowEntry), hostAndPortOf(server)];

  return async (input, init) => {
    const url = new URL(input);
    const reason = authUrlProblem(url.href, server);
    if (reason !== undefined) {
      const message = `The authorization of ${displayUrl(server)} was stopped: ${displayUrl(url)} ${reason}.`;
      throw new HttpEgressError("outside_refused", message, { ran: false });
    }
    const places = isLoopbackUrl(url) ? [...allowedPlaces, hostAndPortOf(url)] : allowedPlaces;
    // Token requests are rare, and one client per request leaves no socket open.
    const follower = openRedirectFollower({
      places,
      lookup,
      connectTimeoutMs: authRequestLimits.connectTimeoutMs,
      maxBytes,
      redirects: 0,
    });
    const body = requestBodyText(init?.body);
    const asked = follower.request({
      url: url.href,
      method: (init?.method ?? "GET") as HttpMethod,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(body === undefined ? {} : { body }),
    });
    const limits = Effect.timeoutOrElse(asked, {
      duration: timeoutMs,
      orElse: () => Effect.fail(slowServerError(url, timeoutMs)),
    });
    try {
      const {
        status,
        headers,
        body: bytes,
      } = await Effect.runPromise(limits, init?.signal ? { signal: init.signal } : {});
      const hasBody = status !== 204 && status !== 205 && status !== 304;
      return new Response(hasBody ? new Uint8Array(bytes) : null, { status, headers });
    } finally {
      await follower.close();
    }
  };
};
