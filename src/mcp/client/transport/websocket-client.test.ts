import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import {
  callTestTool,
  firstNotification,
  onTestEnd,
  openTestSession,
  rejectionOf,
  resultText,
} from "../../../../test/kit/mcp/mcp-session-scene.ts";
import { listenOnLoopback, startToySocket, stopServer } from "../../../../test/kit/mcp/toy-http.ts";
import { WebSocketClientTransport } from "./prepare-remote.ts";
import type { TransportFault } from "./server-transport.ts";

const rawSocket = async (onSocket: (socket: WebSocket) => void): Promise<string> => {
  const server = createServer();
  const sockets = new WebSocketServer({ server, autoPong: false });
  sockets.on("connection", onSocket);
  onTestEnd(async () => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    await stopServer(server);
  });
  return `ws://${await listenOnLoopback(server)}`;
};

const faultOf = (wire: WebSocketClientTransport): Promise<TransportFault | undefined> =>
  new Promise((resolve) => {
    wire.onclose = () => resolve(wire.fault);
  });

describe("WebSocket connection", () => {
  it("sends the subprotocol and the configured headers", async () => {
    const toy = await startToySocket();
    onTestEnd(toy.stop);
    await openTestSession({
      url: toy.url.replace("ws:", "http:"),
      transport: "websocket",
      headers: { "x-key": { secret: "k" } },
    });
    expect(toy.seen[0]?.headers).toMatchObject({ "sec-websocket-protocol": "mcp", "x-key": "revealed-k" });
  });

  it("fails running calls when the server closes", async () => {
    const toy = await startToySocket();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url });
    const closed = firstNotification(session, ({ kind }) => kind === "closed");
    const pending = rejectionOf(callTestTool(session, "slow", { ms: 60_000, steps: 1 }));
    await toy.stop();
    expect(await pending).toMatchObject({ code: "mcp_unreachable", failure: { ran: true } });
    await closed;
  });

  it("rejects messages above the size limit", async () => {
    const toy = await startToySocket();
    onTestEnd(toy.stop);
    const session = await openTestSession({ url: toy.url, maxMessageBytes: 50_000 });
    expect(resultText(await callTestTool(session, "big", { bytes: 10 }))).toHaveLength(10);
    expect(await rejectionOf(callTestTool(session, "big", { bytes: 60_000 }))).toMatchObject({
      code: "mcp_garbage",
      message: expect.stringContaining("more than 50000 bytes"),
    });
  });

  it("falls back to the legacy protocol when the server closes on the first request", async () => {
    let connections = 0;
    const url = await rawSocket((socket) => {
      connections++;
      socket.on("message", (data) => {
        const { id, method } = JSON.parse(String(data)) as { id?: number; method: string };
        if (method === "server/discover") return socket.close();
        const capabilities = {};
        const result = {
          protocolVersion: "2025-06-18",
          capabilities,
          serverInfo: { name: "o", version: "0" },
        };
        if (id !== undefined) socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    });
    expect((await openTestSession({ url })).era).toBe("legacy");
    expect((await openTestSession({ url })).era).toBe("legacy");
    expect(connections).toBe(3);
  });

  it("closes when pings are not answered", async () => {
    const url = await rawSocket(() => {});
    const wire = new WebSocketClientTransport({ url, pingMs: 30 });
    onTestEnd(() => wire.close());
    const fault = faultOf(wire);
    await wire.start();
    expect(await fault).toMatchObject({ kind: "unreachable", reason: "it no longer answers pings" });
  });

  it.each([
    ["binary data", Buffer.from([1, 2, 3])],
    ["text that is not JSON", "hello"],
    ["JSON that is not a message", '{"a":1}'],
  ])("closes on %s", async (_, data) => {
    const url = await rawSocket((socket) => socket.send(data));
    const wire = new WebSocketClientTransport({ url });
    onTestEnd(() => wire.close());
    const fault = faultOf(wire);
    await wire.start();
    expect(await fault).toMatchObject({ kind: "garbage" });
  });

  it("reports the HTTP status when the upgrade is rejected", async () => {
    const server = createServer((_, response) => response.writeHead(403).end());
    server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    const place = await listenOnLoopback(server);
    onTestEnd(() => stopServer(server));
    const failure = await rejectionOf(openTestSession({ url: `ws://${place}` }));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
    expect(failure.message).toContain("HTTP 403");
  });
});
