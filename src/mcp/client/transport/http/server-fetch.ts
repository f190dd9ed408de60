import type { FetchLike } from "@modelcontextprotocol/client";
import { toHeaderValue } from "../header-value.ts";
import { isNeverSent } from "../network-code.ts";
import { boundResponse } from "./bounded-response.ts";
import { currentSentRequest, NotResentError } from "./sent-request.ts";

interface ServerFetchOptions {
  readonly url: URL;
  /** Only ever sent to the server's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly onFailed: (error: unknown) => void;
  readonly onEvents: (method: string, error?: unknown) => void;
}

/** Requests about a task carry its id as their name; the SDK does not know them yet. */
const setTaskName = (headers: Headers, body: unknown): void => {
  if (headers.get("mcp-method")?.startsWith("tasks/") !== true || headers.has("mcp-name")) return;
  const { taskId } = (JSON.parse(String(body)) as { readonly params: { readonly taskId?: unknown } }).params;
  if (typeof taskId === "string") headers.set("mcp-name", toHeaderValue(taskId));
};

const retryRequestStatuses: ReadonlySet<number> = new Set([301, 302, 307, 308, 401, 403]);
const movedStatuses: ReadonlySet<number> = new Set([307, 308]);

/** Where a redirect within the same origin leads that keeps the method. */
const redirectTargetOf = ({ status, headers }: Response, from: URL): URL | undefined => {
  const location = movedStatuses.has(status) ? headers.get("location") : null;
  const to = location === null ? null : URL.parse(location, from.href);
  return to?.origin === from.origin ? to : undefined;
};

/** The fetch of one remote server: its own origin with its headers, and anything else only as the guard allows. */
export const createServerFetch = ({
  url,
  headers,
  maxBytes,
  onFailed,
  onEvents,
}: ServerFetchOptions): FetchLike => {
  const headerEntries = Object.entries(headers);
  let guarded: FetchLike | undefined;
  /** A server's first answers say that it lives elsewhere: calls go there at once, because they are not sent twice. */
  let redirected: { readonly from: string; readonly to: URL } | undefined;

  return async (input, init) => {
    const asked = new URL(input);
    // A proof of possession is made out to an address: with one, the SDK has to ask there itself.
    const target =
      redirected?.from === asked.href && !new Headers(init?.headers).has("dpop") ? redirected.to : asked;
    if (target.origin !== url.origin) {
      if (guarded === undefined) {
        const { createGuardedFetch: guardedFetch } = await import("../../auth/guarded-fetch.ts");
        guarded = guardedFetch(url.href);
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
      // Redirects are the SDK's to judge: it follows none that leaves the origin.
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
