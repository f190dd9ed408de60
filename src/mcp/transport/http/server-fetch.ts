import type { FetchLike } from "@modelcontextprotocol/client";
import { headerValue } from "../header-value.ts";
import { boundedResponse } from "./bounded-response.ts";

interface ServerFetch {
  readonly url: URL;
  /** Only ever sent to the server's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly onFailed: (error: unknown) => void;
  readonly onEvents: (method: string, error?: unknown) => void;
}

/** Requests about a task carry its id as their name; the SDK does not know them yet. */
const nameTask = (headers: Headers, body: unknown): void => {
  if (headers.get("mcp-method")?.startsWith("tasks/") !== true || headers.has("mcp-name")) return;
  const { taskId } = (JSON.parse(String(body)) as { readonly params: { readonly taskId?: unknown } }).params;
  if (typeof taskId === "string") headers.set("mcp-name", headerValue(taskId));
};

/** The fetch of one remote server: its own origin with its headers, and anything else only as the guard allows. */
export const serverFetch = ({ url, headers, maxBytes, onFailed, onEvents }: ServerFetch): FetchLike => {
  const own = Object.entries(headers);
  let guarded: FetchLike | undefined;

  return async (input, init) => {
    const target = new URL(input);
    if (target.origin !== url.origin) {
      if (guarded === undefined) {
        const { guardedFetch } = await import("../../auth/guarded-fetch.ts");
        guarded = guardedFetch(url.href);
      }
      return guarded(input, init);
    }
    const sent = own.length === 0 ? init?.headers : new Headers(init?.headers);
    if (sent instanceof Headers) {
      for (const [name, value] of own) if (!sent.has(name)) sent.set(name, value);
      nameTask(sent, init?.body);
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
      onFailed(error);
      throw error;
    }
    const method = init?.method ?? "GET";
    return boundedResponse(response, { maxBytes, onEvents: (error) => onEvents(method, error) });
  };
};
