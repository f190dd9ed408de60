import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback, stopServer } from "./toy-http.ts";

export interface OldSse {
  readonly url: string;
  readonly hangUp: () => void;
  readonly stop: () => Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
};

const sseResults: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "old", version: "0" },
  },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "from long ago" }] },
};

/** A server of 2024: one event stream, messages by POST, and nothing newer. */
export const startOldSse = async (endpoint?: string): Promise<OldSse> => {
  let stream: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      stream = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: ${endpoint ?? "/messages?session=1"}\n\n`);
    } else if (request.url?.startsWith("/messages") === true) {
      const { id, method } = JSON.parse(await bodyOf(request)) as { id?: number; method: string };
      response.writeHead(202).end();
      const result = sseResults[method];
      if (id !== undefined && result !== undefined) {
        stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
      }
    } else {
      response.writeHead(405).end("Method not allowed");
    }
  });
  const address = await listenOnLoopback(server);
  return { url: `http://${address}/sse`, hangUp: () => stream?.destroy(), stop: () => stopServer(server) };
};
