import { describe, expect, onTestFinished, test, vi } from "vitest";
import { fakeServed } from "../../../test/kit/fake-served.ts";
import { alice, bob } from "../../../test/kit/gateway-clients.ts";
import { ending, endpointIn, initialize, post } from "../../../test/kit/mcp-endpoint.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { Principal } from "../../words/principal.ts";
import type { McpFetch } from "../http.ts";

const open = ending();
const endpoint = endpointIn(open);

const sessionOf = async (http: McpFetch, principal: Principal = alice): Promise<string> => {
  const response = await http.fetch(post(initialize), { principal });
  await response.text();
  const id = response.headers.get("mcp-session-id")!;
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  await http.fetch(post(initialized, { "mcp-session-id": id }), { principal });
  return id;
};

const listTools = { jsonrpc: "2.0", id: 2, method: "tools/list" };

describe("a session of an old client", () => {
  test("is found by its caller alone, whatever the rights it comes back with", async () => {
    const http = endpoint(fakeServed({ runs: { a: () => 1 } }).served);
    const id = await sessionOf(http);
    const headers = { "mcp-session-id": id };
    const status = async (principal: Principal) =>
      (await http.fetch(post(listTools, headers), { principal })).status;
    expect(await status(alice)).toBe(200);
    expect(await status({ ...alice, allow: [] })).toBe(200);
    expect(await status(bob)).toBe(404);
    expect(await status({ ...alice, tenant: "other" })).toBe(404);
    const made = await http.fetch(post(listTools, { "mcp-session-id": "made-up" }), { principal: alice });
    expect(made.status).toBe(404);
    const without = await http.fetch(post(listTools), { principal: alice });
    expect(without.status).toBe(400);
  });

  test("calls with the rights of each request, not of the first", async () => {
    const { served, calls } = fakeServed({ runs: { a: () => 1 } });
    const http = endpoint(served);
    const id = await sessionOf(http);
    const less = { ...alice, allow: ["a"] };
    const call = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "a" } };
    await (await http.fetch(post(call, { "mcp-session-id": id }), { principal: less })).text();
    expect(calls[0]?.principal).toBe(less);
    expect(calls[0]?.conversation).toBe(id);
  });

  test("ends by DELETE, and only its caller's", async () => {
    const http = endpoint(fakeServed().served);
    const id = await sessionOf(http);
    const end = (principal: Principal) =>
      http.fetch(
        new Request("http://127.0.0.1/mcp", { method: "DELETE", headers: { "mcp-session-id": id } }),
        { principal },
      );
    expect((await end(bob)).status).toBe(404);
    expect(http.sessions).toBe(1);
    expect((await end(alice)).status).toBe(200);
    expect(http.sessions).toBe(0);
    const after = await http.fetch(post(listTools, { "mcp-session-id": id }), { principal: alice });
    expect(after.status).toBe(404);
  });

  test("expires when it is idle, though not while its stream is open", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const http = endpoint(fakeServed().served, { sessionIdleMs: 1000 });
    const [idle, streaming] = [await sessionOf(http), await sessionOf(http)];
    const stream = await http.fetch(
      new Request("http://127.0.0.1/mcp", {
        headers: { "mcp-session-id": streaming, Accept: "text/event-stream" },
      }),
      { principal: alice },
    );
    await vi.advanceTimersByTimeAsync(1500);
    expect(http.sessions).toBe(1);
    const gone = await http.fetch(post(listTools, { "mcp-session-id": idle }), { principal: alice });
    expect(gone.status).toBe(404);
    await stream.body?.cancel();
    await vi.advanceTimersByTimeAsync(1500);
    expect(http.sessions).toBe(0);
  });

  test("makes room for another when it is idle, and there is no room while all are in use", async () => {
    const { served } = fakeServed({
      runs: { wait: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)) },
    });
    const http = endpoint(served, { maxSessions: 1 });
    const first = await sessionOf(http);
    const second = await sessionOf(http);
    expect(http.sessions).toBe(1);
    expect(
      (await http.fetch(post(listTools, { "mcp-session-id": first }), { principal: alice })).status,
    ).toBe(404);
    const call = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "wait" } };
    const waiting = await http.fetch(post(call, { "mcp-session-id": second }), { principal: alice });
    expect((await http.fetch(post(initialize), { principal: alice })).status).toBe(503);
    await waiting.body?.cancel();
    expect((await http.fetch(post(initialize), { principal: alice })).status).toBe(503);
  });

  test("goes on after its stream broke: the result waits under the last event", async () => {
    const finish = Promise.withResolvers<string>();
    const { served, calls } = fakeServed({ runs: { long: () => finish.promise } });
    const http = endpoint(served);
    const id = await sessionOf(http);
    const call = { jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "long" } };
    const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    const broken = await http.fetch(post(call, headers), { principal: alice });
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
      { principal: alice },
    );
    expect(await resumed.text()).toContain("late but whole");
    expect(calls).toHaveLength(1);
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  test("is not kept where its first request is refused", async () => {
    const http = endpoint(fakeServed().served);
    const refused = await http.fetch(post(initialize, { Accept: "application/json" }), { principal: alice });
    expect(refused.status).toBe(406);
    expect(http.sessions).toBe(0);
  });
});
