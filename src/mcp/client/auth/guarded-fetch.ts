import type { FetchLike } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import { endpointProblem, isLoopbackUrl } from "../../../base/credentials/oauth/oauth-credential.ts";
import type { HttpEgressClient, HttpMethod } from "../../../base/http/http-egress.ts";
import { type HttpEgressOptions, openHttpEgress } from "../../../base/http/open-http-egress.ts";
import { displayUrl, hostAndPortOf } from "../../../base/http/url.ts";
import { HttpEgressError } from "../../../types/errors.ts";

/** `allow`: private addresses as `host:port`. */
export type AuthEgressOptions = Pick<HttpEgressOptions, "allow" | "lookup" | "timeoutMs">;

/** The URL was named by an untrusted MCP server. */
export const authUrlProblem = (url: string, server: URL): string | undefined => {
  const reason = endpointProblem(url);
  if (reason !== undefined) return reason;
  const isOutside = isLoopbackUrl(new URL(url)) && !isLoopbackUrl(server);
  return isOutside ? "is a loopback address, but the MCP server is not" : undefined;
};

/**
 * Allows https (loopback if the MCP server is on loopback), no redirects, and only public addresses, the
 * server's host and `allow`.
 */
export const createGuardedClient = (serverUrl: string, guard: AuthEgressOptions = {}): HttpEgressClient => {
  const server = new URL(serverUrl);
  return {
    request: Effect.fnUntraced(function* (request) {
      const url = new URL(request.url);
      const reason = authUrlProblem(url.href, server);
      if (reason !== undefined) {
        const message = `The authorization of ${displayUrl(server)} was stopped: ${displayUrl(url)} ${reason}.`;
        return yield* Effect.fail(new HttpEgressError("outside_refused", message, { ran: false }));
      }
      const loopback = isLoopbackUrl(url) ? [hostAndPortOf(url)] : [];
      const allow = [...(guard.allow ?? []), hostAndPortOf(server), ...loopback];
      // Token requests are rare, and one client per request leaves no socket open.
      const client = yield* Effect.orDie(openHttpEgress({ ...guard, allow }));
      return yield* client.request({ ...request, redirects: 0 });
    }, Effect.scoped),
  };
};

/** Sends the requests of the SDK. */
export const toFetch =
  (client: HttpEgressClient): FetchLike =>
  async (input, init) => {
    const request = client.request({
      url: new URL(input).href,
      method: (init?.method ?? "GET") as HttpMethod,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(init?.body ? { body: String(init.body) } : {}),
    });
    const { signal } = init ?? {};
    const { status, headers, body } = await Effect.runPromise(request, signal ? { signal } : {});
    const hasBody = status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? new Uint8Array(body) : null, { status, headers });
  };
