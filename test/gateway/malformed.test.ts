import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { HostOptions } from "../../src/server/http/host-options.ts";
import { mountMcp } from "../../src/server/http/mount-mcp.ts";
import { fakeGatewayBackend } from "../kit/fake-gateway-backend.ts";
import { bearer, type HostScene, hostScene, sendRawBytes } from "../kit/host-scene.ts";
import { waitFor } from "../kit/wait-for.ts";
import { adaToken, tokenAuthOf } from "./access-scene.ts";

const gateway = async (options: Partial<HostOptions> = {}) => {
  const held: (() => void)[] = [];
  const { served, calls } = fakeGatewayBackend({
    runs: {
      say: () => "said",
      wait: () => new Promise((resolve) => held.push(() => resolve("waited"))),
    },
  });
  const host = await hostScene({ auth: tokenAuthOf(adaToken), ...mountMcp(served), ...options });
  return { host, held, calls };
};

interface SocketAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const socketOf = async (host: HostScene) => {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/mcp`, "mcp", { headers: bearer(adaToken) });
  onTestFinished(() => socket.terminate());
  const got: SocketAnswer[] = [];
  socket.on("message", (data) => got.push(JSON.parse(String(data))));
  const closed = new Promise<string>((resolve) =>
    socket.on("close", (code, reason) => resolve(`${code} ${String(reason)}`)),
  );
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  const answer = async (id: unknown): Promise<SocketAnswer> => {
    await waitFor(() => expect(got.some((one) => one.id === id)).toBe(true));
    return got.find((one) => one.id === id)!;
  };
  socket.send(
    JSON.stringify({
      jsonrpc: "2.0",
      id: "begin",
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } },
    }),
  );
  await answer("begin");
  return { socket, got, closed, answer };
};

const call = (id: unknown, name = "say") => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: {} },
});

const malformed: readonly (readonly [what: string, text: string, code: number, id: unknown, says: string])[] =
  [
    ["invalid JSON", "not json", -32_700, null, "cannot be read"],
    [
      "JSON with a duplicate key",
      '{"jsonrpc":"2.0","id":3,"id":4,"method":"tools/list"}',
      -32_700,
      null,
      'The key "id" is duplicated in one object',
    ],
    ["a batch", JSON.stringify([call(3)]), -32_600, null, "Send each message separately"],
    ["a value that is not an object", "7", -32_600, null, "must be an object"],
    [
      "a message without jsonrpc",
      JSON.stringify({ id: 3, method: "tools/list" }),
      -32_600,
      3,
      '/jsonrpc "2.0"',
    ],
    ["a message without a method", '{"jsonrpc":"2.0"}', -32_600, null, "/method"],
    ["a fractional id", JSON.stringify(call(1.5)), -32_600, null, "/id"],
    ["a null id", JSON.stringify(call(null)), -32_600, null, "/id"],
    ["an object as id", JSON.stringify(call({})), -32_600, null, "/id"],
    ["parameters in an array", JSON.stringify({ ...call(3), params: ["say"] }), -32_600, 3, "/params"],
    [
      "parameters in an array, under an id that is in use",
      JSON.stringify({ ...call("run"), params: ["say"] }),
      -32_600,
      null,
      "/params",
    ],
    ["an id that is in use", JSON.stringify(call("run")), -32_600, null, "same id"],
  ];

describe("a malformed message on a socket is answered and logged, and running calls continue:", () => {
  test.each(malformed)("%s", async (_, text, code, id, says) => {
    const { host, held, calls } = await gateway();
    const { socket, answer } = await socketOf(host);
    socket.send(JSON.stringify(call("run", "wait")));
    await waitFor(() => expect(held.length).toBe(1));
    socket.send(text);
    const { error } = await answer(id);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(says);
    for (const end of held) end();
    expect((await answer("run")).result).toMatchObject({ content: [{ text: "waited" }] });
    await waitFor(() => expect(host.lines.filter(({ status }) => status === 400).length).toBe(1));
    expect(calls).toHaveLength(1);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });
});

test("an error without a request id is not answered", async () => {
  const { host } = await gateway();
  const { socket, got, answer } = await socketOf(host);
  socket.send('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}');
  socket.send(JSON.stringify(call(2)));
  await answer(2);
  expect(got.map(({ id }) => id)).toEqual(["begin", 2]);
});

test("malformed messages count against the rate", async () => {
  const { host } = await gateway({ rate: { perMinute: 1, burst: 3 }, now: () => 0 });
  const { socket, got } = await socketOf(host);
  for (let count = 0; count < 3; count++) socket.send("not json");
  await waitFor(() => expect(got.length).toBe(4));
  expect(got.slice(1).map(({ error }) => error?.code)).toEqual([-32_700, -32_000, -32_000]);
  expect(got[3]!.error?.data).toMatchObject({ status: 429 });
});

test("binary frames close a socket with a code and a reason, and the log has the code", async () => {
  const { host, calls } = await gateway();
  const { socket, closed } = await socketOf(host);
  socket.send(Buffer.from(JSON.stringify(call(2))));
  expect(await closed).toBe("1003 Messages must be text. Send JSON in text frames.");
  const ends = () => host.lines.filter(({ method }) => method === "close");
  await waitFor(() => expect(ends().map(({ status }) => status)).toEqual([1003]));
  expect(calls).toEqual([]);
});

describe("the access log records", () => {
  const opening = (port: number, more: Readonly<Record<string, string>>): string => {
    const headers = {
      ...{
        Host: `127.0.0.1:${port}`,
        Authorization: `Bearer ${adaToken}`,
        Upgrade: "websocket",
        Connection: "Upgrade",
      },
      ...{ "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==" },
      ...more,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return ["GET /mcp HTTP/1.1", ...lines, "", ""].join("\r\n");
  };

  test.each([
    ["another version", { "Sec-WebSocket-Version": "7" }, "Sec-WebSocket-Version: 13"],
    ["an invalid key", { "Sec-WebSocket-Key": "x" }, "Sec-WebSocket-Key"],
    ["an invalid list of protocols", { "Sec-WebSocket-Protocol": "mcp,,mcp" }, "Sec-WebSocket-Protocol"],
    ["a duplicate protocol", { "Sec-WebSocket-Protocol": "mcp, mcp" }, "distinct names"],
  ])("an upgrade with %s, which takes no slot", async (_, headers, says) => {
    const { host } = await gateway({ maxConcurrent: 1 });
    for (let count = 0; count < 2; count++) {
      const answered = await sendRawBytes(host.port, opening(host.port, headers));
      expect(answered).toMatch(/^HTTP\/1\.1 400 /);
      expect(answered).toContain(says);
    }
    expect(host.lines.map(({ status }) => status)).toEqual([400, 400]);
    expect((await socketOf(host)).socket.readyState).toBe(WebSocket.OPEN);
  });

  test.each([
    ["invalid HTTP", "GARBAGE\r\n\r\n", 400],
    ["headers that are too long", `GET /mcp HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    [
      "two body lengths",
      "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
  ])("%s, without a caller", async (_, text, status) => {
    const { host } = await gateway();
    expect(await sendRawBytes(host.port, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(host.lines).toEqual([{ method: "?", path: "?", status, ms: 0, agent: undefined }]);
  });
});
