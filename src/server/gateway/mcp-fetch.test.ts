import { once } from "node:events";
import { type Server as HttpServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { fakeGatewayBackend, fakeTool } from "../../../test/kit/fake-gateway-backend.ts";
import {
  alicePrincipal,
  connectOverHttp,
  openHttpGateway,
  type ProtocolEra,
  sdkClient,
} from "../../../test/kit/gateway-clients.ts";
import {
  cleanupsAfterEach,
  endpointFactory,
  initializeMessage,
  mcpPostRequest,
} from "../../../test/kit/mcp-endpoint.ts";
import { postModern } from "../../../test/kit/post-modern.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { BackendCall } from "./gateway-backend.ts";
import type { McpFetch } from "./mcp-fetch.ts";

const open = cleanupsAfterEach();
const endpoint = endpointFactory(open);

const listen = async (http: McpFetch): Promise<string> => {
  const server = serve({
    fetch: (request: Request) => http.fetch(request, { principal: alicePrincipal }),
    port: 0,
    hostname: "127.0.0.1",
  }) as HttpServer;
  if (!server.listening) await once(server, "listening");
  open.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
};

describe("endpoint", () => {
  test("refuses bodies that are too large or not JSON, and unknown methods", async () => {
    const http = endpoint(fakeGatewayBackend().served, { maxBodyBytes: 100 });
    const status = async (request: Request) =>
      (await http.fetch(request, { principal: alicePrincipal })).status;
    expect(await status(mcpPostRequest({ ...initializeMessage, padding: "x".repeat(100) }))).toBe(413);
    expect(await status(mcpPostRequest("{"))).toBe(400);
    expect(await status(mcpPostRequest("null"))).toBe(400);
    expect(await status(mcpPostRequest([]))).toBe(400);
    expect(await status(mcpPostRequest("{}", { "Content-Type": "text/plain" }))).toBe(415);
    expect(await status(new Request("http://127.0.0.1/mcp", { method: "PUT", body: "{}" }))).toBe(405);
  });

  test("uses HTTP status codes for unknown methods and missing capabilities", async () => {
    const http = endpoint(fakeGatewayBackend().served);
    for (const method of ["nobody/knows", "logging/setLevel", "resources/subscribe", "tasks/list"]) {
      const { status, error } = await postModern(http, method, {});
      expect([status, error?.code]).toEqual([404, -32601]);
    }
    const { status, error } = await postModern(http, "tasks/get", { taskId: "x" });
    expect([status, error?.code]).toEqual([400, -32021]);
  });

  test("refuses a call whose headers differ from its arguments", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        at: { type: "object", properties: { zone: { type: "integer", "x-mcp-header": "Zone" } } },
      },
    };
    const { served, calls } = fakeGatewayBackend({
      tools: [fakeTool("place", { inputSchema })],
      runs: { place: () => "ok" },
    });
    const http = endpoint(served);
    const call = (headers: Record<string, string>, given: unknown = { region: "é", at: { zone: 2 } }) =>
      postModern(http, "tools/call", { name: "place", arguments: given }, { headers });
    const region = `=?base64?${Buffer.from("é").toString("base64")}?=`;
    expect((await call({ "Mcp-Param-Region": region, "Mcp-Param-Zone": "2.0" })).status).toBe(200);
    expect((await call({}, {})).status).toBe(200);
    for (const headers of [
      {},
      { "Mcp-Param-Region": region },
      { "Mcp-Param-Region": region, "Mcp-Param-Zone": "3" },
      { "Mcp-Param-Region": "=?base64?w6?=", "Mcp-Param-Zone": "2" },
    ]) {
      const { status, error } = await call(headers as Record<string, string>);
      expect([status, error?.code]).toEqual([400, -32020]);
    }
    expect(calls).toHaveLength(2);
  });

  test("refuses arguments that cannot be compared with their headers", async () => {
    const inputSchema = {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
    };
    const { served, calls } = fakeGatewayBackend({
      tools: [fakeTool("place", { inputSchema })],
      runs: { place: () => "ok" },
    });
    const http = endpoint(served);
    const withTwoRegions: typeof http.fetch = async (request, visit) => {
      const body = (await request.text()).replace('{"region":"eu"}', '{"region":"us","region":"eu"}');
      return http.fetch(new Request(request.url, { method: "POST", headers: request.headers, body }), visit);
    };
    const headers = { "Mcp-Param-Region": "eu" };
    const params = { name: "place", arguments: { region: "eu" } };
    const { status, error } = await postModern({ ...http, fetch: withTwoRegions }, "tools/call", params, {
      headers,
    });
    expect([status, error?.code]).toEqual([400, -32020]);
    expect(calls).toHaveLength(0);
  });

  test("completes running calls on close, refuses new ones and cancels those that take too long", async () => {
    const finish = Promise.withResolvers<string>();
    const { served, calls } = fakeGatewayBackend({
      runs: {
        soon: () => finish.promise,
        never: ({ signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve("cut"))),
      },
    });
    const http = endpoint(served);
    const soon = postModern(http, "tools/call", { name: "soon" });
    await waitFor(() => expect(http.activeCalls).toBe(1));
    const closed = http.close(60_000);
    expect((await postModern(http, "tools/list", {})).status).toBe(503);
    finish.resolve("in time");
    expect((await soon).result?.content).toEqual([{ type: "text", text: "in time" }]);
    await closed;
    const other = endpoint(served);
    const never = postModern(other, "tools/call", { name: "never" });
    await waitFor(() => expect(other.activeCalls).toBe(1));
    await other.close(1);
    await never;
    expect(calls.at(-1)?.signal.aborted).toBe(true);
    expect(other.activeCalls).toBe(0);
  });

  test("ends the streams of listeners on close", async () => {
    const { served, listeners } = fakeGatewayBackend();
    const { http } = openHttpGateway(served);
    const client = await connectOverHttp(http, sdkClient("modern"), alicePrincipal);
    const listening = await client.listen({ toolsListChanged: true });
    expect(listeners.news.size).toBe(1);
    await http.close(0);
    expect(await listening.closed).toBe("graceful");
    expect(listeners.news.size).toBe(0);
  });
});

describe.each(["legacy", "modern"] as const)("over a real socket in the %s era", (era: ProtocolEra) => {
  test("returns to each of many concurrent calls its own result", async () => {
    const { served } = fakeGatewayBackend({
      runs: { echo: (call) => ({ said: (call.input as { what: number }).what }) },
    });
    const url = await listen(endpoint(served));
    const client = sdkClient(era);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const results = await Promise.all(
      Array.from({ length: 32 }, (_, what) => client.callTool({ name: "echo", arguments: { what } })),
    );
    expect(results.map(({ structuredContent }) => structuredContent)).toEqual(
      Array.from({ length: 32 }, (_, said) => ({ said })),
    );
    await client.close();
  });
});

test("cancels the call of a modern connection that drops", async () => {
  const seen = Promise.withResolvers<BackendCall>();
  const { served } = fakeGatewayBackend({
    runs: {
      endless: (call) => {
        seen.resolve(call);
        return new Promise((resolve) => call.signal.addEventListener("abort", () => resolve("stopped")));
      },
    },
  });
  const http = endpoint(served);
  const url = await listen(http);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "endless", _meta: meta } };
  const request = httpRequest(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "endless",
    },
  });
  request.on("error", () => {});
  request.end(JSON.stringify(body));
  const { signal } = await seen.promise;
  request.destroy();
  await waitFor(() => expect(signal.aborted).toBe(true));
});
