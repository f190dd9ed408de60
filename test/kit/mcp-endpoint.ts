import { afterEach, vi } from "vitest";
import { createMcpFetch, type McpFetch, type McpFetchOptions } from "../../src/server/gateway/mcp-fetch.ts";

/** Cleanups that run after each test of the calling file, in reverse order. */
export const cleanupsAfterEach = (): (() => Promise<unknown>)[] => {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    for (const end of open.splice(0)) await end();
  });
  return open;
};

export const endpointFactory =
  (open: (() => Promise<unknown>)[]) =>
  (served: Parameters<typeof createMcpFetch>[0], options?: McpFetchOptions): McpFetch => {
    const http = createMcpFetch(served, options);
    open.push(() => http.close(0));
    return http;
  };

export const mcpPostRequest = (body: unknown, headers: Record<string, string> = {}) =>
  new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

export const initializeMessage = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};
