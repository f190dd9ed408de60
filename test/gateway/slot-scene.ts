import { request as httpRequest } from "node:http";
import { expect, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { GatewayOptions } from "../../src/server/gateway/gateway-state.ts";
import type { HostOptions } from "../../src/server/http/host-options.ts";
import { mountMcp } from "../../src/server/http/mount-mcp.ts";
import { fakeGatewayBackend, valueReply } from "../kit/fake-gateway-backend.ts";
import { bearer, type HostScene, hostScene, sendRawRequest } from "../kit/host-scene.ts";
import { waitFor } from "../kit/wait-for.ts";
import { adaToken, bobToken, tokenAuthOf } from "./access-scene.ts";

/**
 * A gateway whose tool `wait` ends when it is released, whatever its signal says, and whose tool `ask` sends
 * an elicitation.
 */
export const openSlotGateway = async (options: Partial<HostOptions> = {}, front: GatewayOptions = {}) => {
  const held: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const fake = fakeGatewayBackend({
    runs: {
      say: () => "said",
      wait: ({ signal }) => {
        signals.push(signal);
        return new Promise((resolve) => held.push(() => resolve("waited")));
      },
      ask: async (call) => {
        const form = {
          method: "elicitation/create",
          params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
        };
        const answers = await call.caller.ask!({ sure: form }, call.signal);
        return valueReply(call, JSON.stringify(answers));
      },
    },
  });
  const host = await hostScene({
    auth: tokenAuthOf(adaToken, bobToken),
    maxConcurrent: 4,
    ...mountMcp(fake.served, front),
    ...options,
  });
  const letGo = (): void => {
    for (const end of held.splice(0)) end();
  };
  onTestFinished(letGo);
  return { host, held, signals, letGo, calls: fake.calls };
};

export const initializeRequest = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: { elicitation: {} },
    clientInfo: { name: "c", version: "1" },
  },
});
export const toolCallMessage = (id: number | string, name = "say", meta?: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...(meta === undefined ? {} : { _meta: meta }) },
});
export const cancelMessage = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});
const accept = { accept: "application/json, text/event-stream" };

export const postToHost = (host: HostScene, body: unknown, headers: Record<string, string>) =>
  sendRawRequest(host, {
    body: JSON.stringify(body),
    headers: { ...bearer(adaToken), ...accept, ...headers },
  });

export const openMcpHttpSession = async (host: HostScene): Promise<Record<string, string>> => {
  const begun = await postToHost(host, initializeRequest(1), {});
  return { "mcp-session-id": String(begun.headers["mcp-session-id"]), "mcp-protocol-version": "2025-06-18" };
};

/** Sends a request, collects its stream, and can hang up at any time. */
export const openStream = (host: HostScene, body: unknown, headers: Record<string, string>) => {
  const received: { text: string } = { text: "" };
  const request = httpRequest({
    ...{ port: host.port, host: "127.0.0.1", agent: false, method: "POST", path: "/mcp" },
    headers: { "content-type": "application/json", ...bearer(adaToken), ...accept, ...headers },
  });
  request.on("error", () => {});
  request.on("response", (response) => {
    response.on("error", () => {});
    response.on("data", (chunk) => {
      received.text += String(chunk);
    });
  });
  request.end(JSON.stringify(body));
  onTestFinished(() => void request.destroy());
  return { received, hangUp: () => request.destroy() };
};

interface SocketAnswer {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export const openSocket = async (host: HostScene, token = adaToken) => {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/mcp`, "mcp", { headers: bearer(token) });
  onTestFinished(() => socket.terminate());
  const got: SocketAnswer[] = [];
  socket.on("message", (data) => got.push(JSON.parse(String(data))));
  const closed = new Promise<string>((resolve) =>
    socket.on("close", (code, reason) => resolve(`${code} ${String(reason)}`)),
  );
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  const send = (message: unknown): void =>
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  const answer = async (id: unknown): Promise<SocketAnswer> => {
    await waitFor(() => expect(got.some((one) => one.id === id && one.method === undefined)).toBe(true));
    return got.find((one) => one.id === id && one.method === undefined)!;
  };
  const open = async () => {
    send(initializeRequest(1));
    await answer(1);
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
  };
  return { socket, got, closed, send, answer, open };
};

export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
export const modernHeaders = (name: string) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": name,
});
export const slotsFullResponse = { status: 503, body: { error: { code: "too_many_at_once" } } };
