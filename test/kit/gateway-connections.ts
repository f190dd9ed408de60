import { request as httpRequest, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type RawResponse, sendRawRequest } from "./host-scene.ts";

/** The result of a message as an HTTP status, whatever the transport. */
export interface MessageResult {
  readonly status: number;
  readonly error: string | undefined;
}

/** The credentials and the path of a connection. */
export interface ConnectRequest {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly path?: string;
}

export interface MessageOptions {
  /** The tool to call; `say` by default. */
  readonly tool?: string;
  /** The size of the whole message in bytes. */
  readonly bytes?: number;
}

/** An accepted connection. */
export interface GatewayConnection {
  readonly send: (sent?: MessageOptions) => Promise<MessageResult>;
  /** The reason that the host gave when it closed an open connection. Undefined over plain HTTP. */
  readonly ended: Promise<string> | undefined;
}

/** One transport. It is opened by one message or none, and then each call is one message. */
export interface ConnectionType {
  readonly name: "HTTP" | "SSE" | "WebSocket";
  /** The number of messages that opening takes. */
  readonly opening: number;
  readonly open: (
    host: { readonly port: number },
    knock?: ConnectRequest,
  ) => Promise<GatewayConnection | MessageResult>;
}

export const isConnection = (value: GatewayConnection | MessageResult): value is GatewayConnection =>
  "send" in value;

const version = "2026-07-28";
let lastId = 0;

const jsonRpcMessage = (method: string, params: Readonly<Record<string, unknown>>) => ({
  jsonrpc: "2.0",
  id: ++lastId,
  method,
  params: {
    ...params,
    _meta: {
      progressToken: lastId,
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": { name: "door", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});

const callText = (tool: string, bytes: number | undefined): string => {
  const textOf = (pad: string) =>
    JSON.stringify(jsonRpcMessage("tools/call", { name: tool, arguments: { pad } }));
  if (bytes === undefined) return textOf("");
  lastId = 1_000_000;
  return textOf("x".repeat(bytes - textOf("").length));
};

const headersFor = (method: string, name?: string) => ({
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": version,
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name }),
});

const toMessageResult = ({
  status,
  body,
  text,
}: Pick<RawResponse, "status" | "body" | "text">): MessageResult => {
  if (status === 200 && !text.includes('"result"')) throw new Error(`no result: ${text}`);
  const { code } = (body.error ?? {}) as { readonly code?: unknown };
  return { status, error: typeof code === "string" ? code : undefined };
};

const postSender =
  (host: { readonly port: number }, { headers = {}, path = "/mcp" }: ConnectRequest, defaultTool: string) =>
  async ({ tool = defaultTool, bytes }: MessageOptions = {}): Promise<MessageResult> => {
    const more = headersFor("tools/call", tool);
    const body = callText(tool, bytes);
    return toMessageResult(await sendRawRequest(host, { path, headers: { ...more, ...headers }, body }));
  };

const httpConnection: ConnectionType = {
  name: "HTTP",
  opening: 0,
  open: async (host, client = {}) => ({ send: postSender(host, client, "say"), ended: undefined }),
};

/** An open stream next to calls that are answered by their own streams. */
const sseConnection: ConnectionType = {
  name: "SSE",
  opening: 1,
  open: (host, client = {}) =>
    new Promise((resolve, reject) => {
      const { headers = {}, path = "/mcp" } = client;
      const method = "subscriptions/listen";
      const body = JSON.stringify(jsonRpcMessage(method, { notifications: { toolsListChanged: true } }));
      const more = { "content-type": "application/json", "content-length": String(body.length) };
      const request = httpRequest({
        port: host.port,
        host: "127.0.0.1",
        agent: false,
        method: "POST",
        path,
        headers: { ...more, ...headersFor(method), ...headers } as Record<string, string>,
      });
      onTestFinished(() => void request.destroy());
      request.on("error", reject);
      request.on("response", (response: IncomingMessage) => {
        const { statusCode: status = 0 } = response;
        response.on("error", () => {});
        const ended = responseText(response);
        if (status !== 200) {
          void ended.then((text) => resolve({ status, error: JSON.parse(text).error.code }));
        } else resolve({ send: postSender(host, client, "tell"), ended: ended.then(lastEventText) });
      });
      request.end(body);
    }),
};

const responseText = async (response: IncomingMessage): Promise<string> => {
  let text = "";
  try {
    for await (const chunk of response) text += String(chunk);
  } catch {
    // Closed by the test itself after it read what it needed.
  }
  return text;
};

const lastEventText = (text: string): string => text.trim().split("\n").at(-1)!.replace(/^: /, "");

interface SocketAnswer {
  readonly id: number | null;
  readonly result?: unknown;
  readonly error?: { readonly data?: MessageResult };
}

const webSocketConnection: ConnectionType = {
  name: "WebSocket",
  opening: 1,
  open: (host, { headers = {}, path = "/mcp" } = {}) =>
    new Promise((resolve, reject) => {
      const url = `ws://127.0.0.1:${host.port}${path}`;
      const socket = new WebSocket(url, "mcp", { headers: headers as Record<string, string> });
      onTestFinished(() => socket.terminate());
      socket.on("unexpected-response", (request, response) => {
        const { statusCode: status = 0 } = response;
        void responseText(response).then((text) => {
          request.destroy();
          resolve({ status, error: text === "" ? undefined : JSON.parse(text).error.code });
        });
      });
      socket.on("error", reject);
      const ended = waitForClose(socket);
      socket.on("open", () => resolve({ send: socketSender(socket, ended), ended }));
    }),
};

const waitForClose = (socket: WebSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.on("close", (code, reason) => resolve(`${code} ${String(reason)}`));
  });

/** Results of unanswered messages by close code. */
const closeCodeResults: Readonly<Record<string, MessageResult>> = {
  1008: { status: 401, error: "invalid_token" },
  1009: { status: 413, error: "body_too_large" },
};

const socketSender =
  (socket: WebSocket, ended: Promise<string>) =>
  ({ tool = "say", bytes }: MessageOptions = {}): Promise<MessageResult> =>
    new Promise((resolve, reject) => {
      const text = callText(tool, bytes);
      const { id } = JSON.parse(text) as { readonly id: number };
      const onMessage = (data: unknown): void => {
        const answer = JSON.parse(String(data)) as SocketAnswer;
        if (answer.id !== id) return;
        socket.off("message", onMessage);
        const { status, error } = answer.error?.data ?? { status: 200, error: undefined };
        if (answer.error !== undefined && answer.error.data === undefined) reject(new Error(String(data)));
        resolve({ status, error });
      };
      socket.on("message", onMessage);
      void ended.then((words) => {
        const taken = closeCodeResults[words.split(" ", 1)[0]!];
        if (taken === undefined) reject(new Error(`closed with ${words}`));
        else resolve(taken);
      });
      socket.send(text, () => {});
    });

/** All transports over the network. */
export const connectionTypes: readonly ConnectionType[] = [
  httpConnection,
  sseConnection,
  webSocketConnection,
];
