import type { FetchLike } from "@modelcontextprotocol/client";
import { toHeaderValue } from "../header-value.ts";
import { isNeverSent } from "../network-code.ts";
import { boundResponse } from "./bounded-response.ts";
import { currentSentRequest, NotResentError } from "./sent-request.ts";

interface ServerFetchOptions {
  readonly url: URL;
  /** Sent only to the server's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly onFailed: (error: unknown) => void;
  readonly onEvents: (method: string, error?: unknown) => void;
}

/** The SDK does not set `mcp-name` for task requests yet. */
const setTaskName = (headers: Headers, body: unknown): void => {
  if (headers.get("mcp-method")?.startsWith("tasks/") !== true || headers.has("mcp-name")) return;
  const { taskId } = (JSON.parse(String(body)) as { readonly params: { readonly taskId?: unknown } }).params;
  if (typeof taskId === "string") headers.set("mcp-name", toHeaderValue(taskId));
};

const retryRequestStatuses: ReadonlySet<number> = new Set([301, 302, 307, 308, 401, 403]);
const movedStatuses: ReadonlySet<number> = new Set([307, 308]);

/** Only same-origin redirects that keep the method. */
const redirectTargetOf = ({ status, headers }: Response, from: URL): URL | undefined => {
  const location = movedStatuses.has(status) ? headers.get("location") : null;
  const to = location === null ? null : URL.parse(location, from.href);
  return to?.origin === from.origin ? to : undefined;
};

/** Requests to other origins carry none of the server's headers and pass the guard. */
export const createServerFetch = ({
  url,
  headers,
  maxBytes,
  onFailed,
  onEvents,
}: ServerFetchOptions): FetchLike => {
  const headerEntries = Object.entries(headers);
  let guarded: FetchLike | undefined;
  /** Learned from earlier responses, because tool calls are not resent. */
  let redirected: { readonly from: string; readonly to: URL } | undefined;

  return async (input, init) => {
    const asked = new URL(input);
    // DPoP proofs are bound to the URL.
    const target =
      redirected?.from === asked.href && !new Headers(init?.headers).has("dpop") ? redirected.to : asked;
    if (target.origin !== url.origin) {
      if (guarded === undefined) {
        const { createGuardedClient, toFetch } = await import("../../auth/guarded-fetch.ts");
        guarded = toFetch(createGuardedClient(url.href));
      }
      return guarded(input, init);
    }
    const sent = headerEntries.length === 0 ? init?.headers : new Headers(init?.headers);
    if (sent instanceof Headers) {
      for (const [name, value] of headerEntries) if (!sent.has(name)) sent.set(name, value);
      setTaskName(sent, init?.body);
    }
    const method = init?.method ?? "GET";
    const message = method === "POST" ? currentSentRequest.getStore() : undefined;
    if (message?.isToolCall === true && message.refusedStatus !== undefined) {
      throw new NotResentError(message.refusedStatus);
    }
    let response: Response;
    try {
      // The SDK decides about redirects.
      response = await fetch(target, {
        ...init,
        ...(sent === undefined ? {} : { headers: sent }),
        redirect: "manual",
      });
    } catch (error) {
      if (message !== undefined && !isNeverSent(error)) message.isSent = true;
      onFailed(error);
      throw error;
    }
    if (message !== undefined) {
      message.isSent = true;
      message.refusedStatus = retryRequestStatuses.has(response.status) ? response.status : undefined;
      const to = message.isToolCall ? undefined : redirectTargetOf(response, target);
      if (to !== undefined) redirected = { from: asked.href, to };
    }
    return boundResponse(response, { maxBytes, onEvents: (error) => onEvents(method, error) });
  };
};
