import type { FetchLike } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import { refuseEndpoint } from "../../../credentials/oauth/endpoint.ts";
import type { HttpMethod } from "../../../http/outside.ts";
import { hostOf, placeOf, readPlace } from "../../../http/place.ts";
import { shown } from "../../../http/url.ts";
import type { Lookup } from "../../../http/wire/connector.ts";
import { openFollower } from "../../../http/wire/follow.ts";
import { OutsideError, ToolTimeoutError } from "../../../words/errors.ts";

/** Where requests for tokens may go besides the public internet. */
export interface AuthGuard {
  /** `host:port` places of the operator's own network. */
  readonly allow?: readonly string[];
  readonly lookup?: Lookup;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

const defaults = { timeoutMs: 30_000, maxBytes: 1_048_576, connectTimeoutMs: 10_000 };

export const isLoopback = (url: URL): boolean => {
  const host = hostOf(url);
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
};

/** Why neither a token nor a person may be sent to this URL, which a server of somebody else named. */
export const refusePlace = (url: string, server: URL): string | undefined => {
  const reason = refuseEndpoint(url);
  if (reason !== undefined) return reason;
  const isOutside = isLoopback(new URL(url)) && !isLoopback(server);
  return isOutside ? "is a loopback address, and the MCP server is none" : undefined;
};

const bodyOf = (body: unknown): string | undefined => {
  if (body === undefined || body === null) return undefined;
  return typeof body === "string" ? body : String(body);
};

const late = (url: URL, timeoutMs: number): ToolTimeoutError =>
  new ToolTimeoutError("timed_out", `${shown(url)} did not answer completely within ${timeoutMs} ms.`);

/**
 * The fetch that the authorization of one MCP server goes through: https only, or loopback if the server is there;
 * no redirects; public addresses, the server's own place, and what the operator opened.
 */
export const guardedFetch = (serverUrl: string, guard: AuthGuard = {}): FetchLike => {
  const server = new URL(serverUrl);
  const { timeoutMs = defaults.timeoutMs, maxBytes = defaults.maxBytes, lookup } = guard;
  const opened = [...(guard.allow ?? []).map(readPlace), placeOf(server)];

  return async (input, init) => {
    const url = new URL(input);
    const reason = refusePlace(url.href, server);
    if (reason !== undefined) {
      const message = `The authorization of ${shown(server)} was stopped: ${shown(url)} ${reason}.`;
      throw new OutsideError("outside_refused", message, { ran: false });
    }
    const places = isLoopback(url) ? [...opened, placeOf(url)] : opened;
    // Requests for tokens are rare: a client for each leaves no socket behind.
    const follower = openFollower({
      places,
      lookup,
      connectTimeoutMs: defaults.connectTimeoutMs,
      maxBytes,
      redirects: 0,
    });
    const body = bodyOf(init?.body);
    const asked = follower.request({
      url: url.href,
      method: (init?.method ?? "GET") as HttpMethod,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(body === undefined ? {} : { body }),
    });
    const bounded = Effect.timeoutOrElse(asked, {
      duration: timeoutMs,
      orElse: () => Effect.fail(late(url, timeoutMs)),
    });
    try {
      const {
        status,
        headers,
        body: bytes,
      } = await Effect.runPromise(bounded, init?.signal ? { signal: init.signal } : {});
      const hasBody = status !== 204 && status !== 205 && status !== 304;
      return new Response(hasBody ? new Uint8Array(bytes) : null, { status, headers });
    } finally {
      await follower.close();
    }
  };
};
