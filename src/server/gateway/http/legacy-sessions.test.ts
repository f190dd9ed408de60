import { describe, expect, onTestFinished, test, vi } from "vitest";
import { fakeGatewayBackend } from "../../../../test/kit/fake-gateway-backend.ts";
import { alicePrincipal, bobPrincipal } from "../../../../test/kit/gateway-clients.ts";
import {
  cleanupsAfterEach,
  endpointFactory,
  initializeMessage,
  mcpPostRequest,
} from "../../../../test/kit/mcp-endpoint.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";
import type { Principal } from "../../../types/principal.ts";
import type { McpFetch } from "../mcp-fetch.ts";

const open = cleanupsAfterEach();
const endpoint = endpointFactory(open);

const sessionOf = async (http: McpFetch, principal: Principal = alicePrincipal): Promise<string> => {
  const response = await http.fetch(mcpPostRequest(initializeMessage), { principal });
  await response.text();
  const id = response.headers.get("mcp-session-id")!;
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  await http.fetch(mcpPostRequest(initialized, { "mcp-session-id": id }), { principal });
  return id;
};

const listTools = { jsonrpc: "2.0", id: 2, method: "tools/list" };

describe("session of a legacy client", () => {
  test("is found only by its caller, whatever rights the caller has then", async () => {
    const http = endpoint(fakeGatewayBackend({ runs: { a: () => 1 } }).served);
    const id = await sessionOf(http);
    const headers = { "mcp-session-id": id };
    const status = async (principal: Principal) =>
      (await http.fetch(mcpPostRequest(listTools, headers), { principal })).status;
    expect(await status(alicePrincipal)).toBe(200);
    expect(await status({ ...alicePrincipal, allow: [] })).toBe(200);
    expect(await status(bobPrincipal)).toBe(404);
    expect(await status({ ...alicePrincipal, tenant: "other" })).toBe(404);
    const made = await http.fetch(mcpPostRequest(listTools, { "mcp-session-id": "made-up" }), {
      principal: alicePrincipal,
    });
    expect(made.status).toBe(404);
    const without = await http.fetch(mcpPostRequest(listTools), { principal: alicePrincipal });
    expect(without.status).toBe(400);
  });

  test("uses the rights of each request", async () => {
    const { served, calls } = fakeGatewayBackend({ runs: { a: () => 1 } });
    const http = endpoint(served);
    const id = await sessionOf(http);
    const less = { ...alicePrincipal, allow: ["a"] };
    const call = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "a" } };
    await (await http.fetch(mcpPostRequest(call, { "mcp-session-id": id }), { principal: less })).text();
    expect(calls[0]?.principal).toBe(less);
    expect(calls[0]?.conversation).toBe(id);
  });

  test("ends on DELETE of its caller only", async () => {
    const http = endpoint(fakeGatewayBackend().served);
    const id = await sessionOf(http);
    const end = (principal: Principal) =>
      http.fetch(
        new Request("http://127.0.0.1/mcp", { method: "DELETE", headers: { "mcp-session-id": id } }),
        { principal },
      );
    expect((await end(bobPrincipal)).status).toBe(404);
    expect(http.sessions).toBe(1);
    expect((await end(alicePrincipal)).status).toBe(200);
    expect(http.sessions).toBe(0);
    const after = await http.fetch(mcpPostRequest(listTools, { "mcp-session-id": id }), {
      principal: alicePrincipal,
    });
    expect(after.status).toBe(404);
  });

  test("expires when it is idle and has no open stream", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const http = endpoint(fakeGatewayBackend().served, { sessionIdleMs: 1000 });
    const [idle, streaming] = [await sessionOf(http), await sessionOf(http)];
    const stream = await http.fetch(
      new Request("http://127.0.0.1/mcp", {
        headers: { "mcp-session-id": streaming, Accept: "text/event-stream" },
      }),
      { principal: alicePrincipal },
    );
    await vi.advanceTimersByTimeAsync(1500);
    expect(http.sessions).toBe(1);
    const gone = await http.fetch(mcpPostRequest(listTools, { "mcp-session-id": idle }), {
      principal: alicePrincipal,
    });
    expect(gone.status).toBe(404);
    await stream.body?.cancel();
    await vi.advanceTimersByTimeAsync(1500);
    expect(http.sessions).toBe(0);
  });

  test("is replaced when it is idle, but not while it is in use", async () => {
    const { served } = fakeGatewayBackend({
      runs: { wait: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)) },
    });
    const http = endpoint(served, { maxSessions: 1 });
    const first = await sessionOf(http);
    const second = await sessionOf(http);
    expect(http.sessions).toBe(1);
    expect(
      (
        await http.fetch(mcpPostRequest(listTools, { "mcp-session-id": first }), {
          principal: alicePrincipal,
        })
      ).status,
    ).toBe(404);
    const call = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "wait" } };
    const waiting = await http.fetch(mcpPostRequest(call, { "mcp-session-id": second }), {
      principal: alicePrincipal,
    });
    expect((await http.fetch(mcpPostRequest(initializeMessage), { principal: alicePrincipal })).status).toBe(
      503,
    );
    await waiting.body?.cancel();
    expect((await http.fetch(mcpPostRequest(initializeMessage), { principal: alicePrincipal })).status).toBe(
      503,
    );
  });

  test("continues after its stream broke, and delivers the result after the last event", async () => {
    const finish = Promise.withResolvers<string>();
    const { served, calls } = fakeGatewayBackend({ runs: { long: () => finish.promise } });
    const http = endpoint(served);
    const id = await sessionOf(http);
    const call = { jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "long" } };
    const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    const broken = await http.fetch(mcpPostRequest(call, headers), { principal: alicePrincipal });
    const reader = broken.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const lastEventId = /^id: (.+)$/mu.exec(first)?.[1] ?? "";
    await reader.cancel();
    finish.resolve("late but whole");
    await waitFor(() => expect(http.activeCalls).toBe(0));
    const resumed = await http.fetch(
      new Request("http://127.0.0.1/mcp", {
        headers: { ...headers, Accept: "text/event-stream", "last-event-id": lastEventId },
      }),
      { principal: alicePrincipal },
    );
    expect(await resumed.text()).toContain("late but whole");
    expect(calls).toHaveLength(1);
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  test("is not kept when its first request is refused", async () => {
    const http = endpoint(fakeGatewayBackend().served);
    const refused = await http.fetch(mcpPostRequest(initializeMessage, { Accept: "application/json" }), {
      principal: alicePrincipal,
    });
    expect(refused.status).toBe(406);
    expect(http.sessions).toBe(0);
  });
});
