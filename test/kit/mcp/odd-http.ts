import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback, stopServer } from "./toy-http.ts";

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

export type OddResponder = (response: ServerResponse, message: Message, request: IncomingMessage) => void;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};

const handshakeResult = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "odd", version: "0" },
};

export interface OddHttp {
  readonly url: string;
  readonly seen: IncomingMessage[];
  readonly stop: () => Promise<void>;
}

/** Performs the handshake of the old era and then answers calls as the test wants. */
export const oddHttp = async (answer: OddResponder): Promise<OddHttp> => {
  const requests: IncomingMessage[] = [];
  const server = createServer(async (request, response) => {
    requests.push(request);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(await bodyOf(request)) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === "tools/call") return answer(response, message, request);
    const result = message.method === "initialize" ? handshakeResult : undefined;
    const error = { code: -32_601, message: "Method not found" };
    const body = { jsonrpc: "2.0", id: message.id, ...(result === undefined ? { error } : { result }) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const address = await listenOnLoopback(server);
  return { url: `http://${address}/mcp`, seen: requests, stop: () => stopServer(server) };
};
