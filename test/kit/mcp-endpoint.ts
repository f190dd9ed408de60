import { afterEach, vi } from "vitest";
import { type McpFetch, type McpFetchOptions, mcpFetch } from "../../src/gateway/http.ts";

/** Ended after each test of the file that asks for it, last things last. */
export const ending = (): (() => Promise<unknown>)[] => {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    for (const end of open.splice(0)) await end();
  });
  return open;
};

export const endpointIn =
  (open: (() => Promise<unknown>)[]) =>
  (served: Parameters<typeof mcpFetch>[0], options?: McpFetchOptions): McpFetch => {
    const http = mcpFetch(served, options);
    open.push(() => http.close(0));
    return http;
  };

export const post = (body: unknown, headers: Record<string, string> = {}) =>
  new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

export const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
