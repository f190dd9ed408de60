import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { fakeGatewayBackend } from "../../../test/kit/fake-gateway-backend.ts";
import { alicePrincipal } from "../../../test/kit/gateway-clients.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { BackendCall } from "./gateway-backend.ts";
import { serveStdio } from "./serve-stdio.ts";

const scene = (runs: Parameters<typeof fakeGatewayBackend>[0] = {}) => {
  const fake = fakeGatewayBackend(runs);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const said: { id?: unknown; result?: Record<string, unknown>; error?: unknown }[] = [];
  let rest = "";
  stdout.on("data", (chunk) => {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) said.push(JSON.parse(line));
  });
  const connection = serveStdio(fake.served, alicePrincipal, { stdin, stdout });
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return { ...fake, stdin, said, connection, send };
};

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};

test("answers a legacy client line by line until its input ends", async () => {
  const { stdin, said, send, connection, listeners } = scene({ runs: { a: () => "b" } });
  send(initialize);
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "a" } });
  await waitFor(() => expect(said).toHaveLength(2));
  expect(said[0]?.result).toMatchObject({
    protocolVersion: "2025-06-18",
    serverInfo: { name: "fake" },
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {} },
  });
  expect(said[1]?.result).toMatchObject({ content: [{ type: "text", text: "b" }] });
  stdin.end();
  await connection.closed;
  expect(listeners.news.size).toBe(0);
});

test("answers a modern client without a handshake", async () => {
  const { said, send, connection } = scene({ runs: { a: () => "b" } });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  send({ id: 1, method: "server/discover", params: { _meta } });
  send({ id: 2, method: "tools/call", params: { name: "a", _meta } });
  await waitFor(() => expect(said).toHaveLength(2));
  expect(said[0]?.result).toMatchObject({
    supportedVersions: ["2026-07-28"],
    capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
  });
  expect(said[1]?.result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "b" }] });
  await connection.close();
  await connection.closed;
});

test("cancels running calls when the input ends", async () => {
  const seen = Promise.withResolvers<BackendCall>();
  const { stdin, send, connection } = scene({
    runs: {
      endless: (call) => {
        seen.resolve(call);
        return new Promise((resolve) => call.signal.addEventListener("abort", resolve));
      },
    },
  });
  send(initialize);
  send({ id: 2, method: "tools/call", params: { name: "endless" } });
  const { signal } = await seen.promise;
  stdin.end();
  await connection.closed;
  await waitFor(() => expect(signal.aborted).toBe(true));
});
