import { PassThrough } from "node:stream";
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { fakeGatewayBackend } from "../../../test/kit/fake-gateway-backend.ts";
import { alicePrincipal } from "../../../test/kit/gateway-clients.ts";
import {
  cleanupsAfterEach,
  endpointFactory,
  initializeMessage,
  mcpPostRequest,
} from "../../../test/kit/mcp-endpoint.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { BackendCall, GatewayBackend } from "./gateway-backend.ts";
import { serveSocket } from "./serve-socket.ts";
import { serveStdio } from "./serve-stdio.ts";

const open = cleanupsAfterEach();
const endpoint = endpointFactory(open);

/** A client that can send what no SDK would send. */
interface RawClient {
  readonly send: (message: object) => void;
  /** All received messages in order. */
  readonly said: unknown[];
}

const overStdio = (served: GatewayBackend): RawClient => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const said: unknown[] = [];
  stdout.on("data", (lines) => {
    for (const line of String(lines).trim().split("\n")) said.push(JSON.parse(line));
  });
  open.push(serveStdio(served, alicePrincipal, { stdin, stdout }).close);
  return { said, send: (message) => stdin.write(`${JSON.stringify(message)}\n`) };
};

const overSocket = (served: GatewayBackend): RawClient => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const said: unknown[] = [];
  near.onmessage = (message) => said.push(message);
  open.push(serveSocket(served, alicePrincipal, far).close);
  return { said, send: (message) => void near.send(message as JSONRPCMessage) };
};

const overHttp = (served: GatewayBackend): RawClient => {
  const http = endpoint(served);
  const said: unknown[] = [];
  const session = Promise.withResolvers<Record<string, string>>();
  const fetched = async (message: object): Promise<void> => {
    const headers = message === initializeMessage ? {} : await session.promise;
    const response = await http.fetch(mcpPostRequest(message, headers), { principal: alicePrincipal });
    const id = response.headers.get("mcp-session-id");
    if (id !== null) session.resolve({ "mcp-session-id": id });
    for (const line of (await response.text()).split("\n")) {
      const json = line.replace(/^data: /, "");
      if (json.startsWith("{")) said.push(JSON.parse(json));
    }
  };
  return { said, send: (message) => void fetched(message) };
};

const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const discover = { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: modern } };

const ways = [
  ["a legacy client over HTTP", overHttp, initializeMessage, {}],
  ["a legacy client over stdio", overStdio, initializeMessage, {}],
  ["a modern client over stdio", overStdio, discover, { _meta: modern }],
  ["a legacy client over a socket", overSocket, initializeMessage, {}],
  ["a modern client over a socket", overSocket, discover, { _meta: modern }],
] as const;

const refusal = {
  jsonrpc: "2.0",
  id: null,
  error: {
    code: -32_600,
    message: "Invalid Request: an open request of this session has the same id",
  },
};

describe.each(ways)("%s", (_, connect, hello, more) => {
  /** Calls end in the order and with the values that the test chooses. */
  const scene = async () => {
    const waiting: { readonly call: BackendCall; readonly finish: (value: string) => void }[] = [];
    const { served, calls } = fakeGatewayBackend({
      runs: { wait: (call) => new Promise((resolve) => waiting.push({ call, finish: resolve })) },
    });
    const { send, said } = connect(served);
    send(hello);
    await waitFor(() => expect(said).toHaveLength(1));
    said.length = 0;
    const call = (id: unknown) =>
      send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait", arguments: {}, ...more } });
    const cancel = (requestId: unknown, odd = {}) =>
      send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, ...odd, ...more } });
    const started = (count: number) => waitFor(() => expect(waiting).toHaveLength(count));
    return { call, cancel, started, waiting, said, calls };
  };
  const answer = (id: unknown, text: string) =>
    expect.objectContaining({ id, result: expect.objectContaining({ content: [{ type: "text", text }] }) });

  test("is refused when it reuses the id of an open request, and the first request is answered", async () => {
    const { call, started, waiting, said, calls } = await scene();
    call(7);
    await started(1);
    call(7);
    await waitFor(() => expect(said).toEqual([refusal]));
    waiting[0]?.finish("first");
    await waitFor(() => expect(said).toEqual([refusal, answer(7, "first")]));
    expect(calls).toHaveLength(1);
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  test("may reuse an id after its request was answered, and use the same id of another type", async () => {
    const { call, started, waiting, said } = await scene();
    call(7);
    await started(1);
    waiting[0]?.finish("first");
    await waitFor(() => expect(said).toHaveLength(1));
    call(7);
    await started(2);
    call("7");
    await started(3);
    waiting[2]?.finish("third");
    await waitFor(() => expect(said).toHaveLength(2));
    waiting[1]?.finish("second");
    await waitFor(() =>
      expect(said).toEqual([answer(7, "first"), answer("7", "third"), answer(7, "second")]),
    );
  });

  test("may reuse an id after its request was cancelled, and receives only the second answer", async () => {
    const { call, cancel, started, waiting, said } = await scene();
    call(0);
    await started(1);
    cancel(0);
    call(0);
    await started(2);
    expect(waiting.map(({ call: { signal } }) => signal.aborted)).toEqual([true, false]);
    waiting[0]?.finish("too late");
    waiting[1]?.finish("second");
    await waitFor(() => expect(said).toEqual([answer(0, "second")]));
  });

  test("may not reuse an id after an invalid cancellation", async () => {
    const { call, cancel, started, waiting, said } = await scene();
    call(7);
    await started(1);
    cancel(7, { reason: 7 });
    call(7);
    await waitFor(() => expect(said).toContainEqual(refusal));
    waiting[0]?.finish("first");
    await waitFor(() => expect(said).toContainEqual(answer(7, "first")));
    expect(waiting).toHaveLength(1);
  });
});
