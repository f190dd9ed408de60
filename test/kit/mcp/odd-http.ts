import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listening, stopping } from "./toy-http.ts";

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

export type Oddity = (response: ServerResponse, message: Message, request: IncomingMessage) => void;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};

const handshake = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "odd", version: "0" },
};

export interface OddHttp {
  readonly url: string;
  readonly seen: IncomingMessage[];
  readonly stop: () => Promise<void>;
}

/** Shakes hands in the old way and then answers calls as the test wants. */
export const oddHttp = async (oddity: Oddity): Promise<OddHttp> => {
  const seen: IncomingMessage[] = [];
  const server = createServer(async (request, response) => {
    seen.push(request);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request)) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === "tools/call") return oddity(response, message, request);
    const result = message.method === "initialize" ? handshake : undefined;
    const error = { code: -32_601, message: "Method not found" };
    const body = { jsonrpc: "2.0", id: message.id, ...(result === undefined ? { error } : { result }) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const place = await listening(server);
  return { url: `http://${place}/mcp`, seen, stop: () => stopping(server) };
};
