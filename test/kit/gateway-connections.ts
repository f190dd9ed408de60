import { request as httpRequest, type IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type Answered, ask } from "./host-scene.ts";

/** How a message was taken, in the words of HTTP whichever way it went. */
export interface Taken {
  readonly status: number;
  readonly error: string | undefined;
}

/** What a caller shows when it comes. */
export interface Knock {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly path?: string;
}

export interface Sent {
  /** The tool that is called; `say` unless named. */
  readonly tool?: string;
  /** The whole message has exactly so many bytes. */
  readonly bytes?: number;
}

/** Somebody who was let in. */
export interface Door {
  readonly send: (sent?: Sent) => Promise<Taken>;
  /** What the host said when it ended what had stayed open; over plain HTTP nothing does. */
  readonly ended: Promise<string> | undefined;
}

/** One way in: opened by one message or none, and from then on each call is one message. */
export interface Way {
  readonly name: "HTTP" | "SSE" | "WebSocket";
  /** How many messages it takes to come in. */
  readonly opening: number;
  readonly open: (host: { readonly port: number }, knock?: Knock) => Promise<Door | Taken>;
}

export const isDoor = (value: Door | Taken): value is Door => "send" in value;

const version = "2026-07-28";
let lastId = 0;

const messageOf = (method: string, params: Readonly<Record<string, unknown>>) => ({
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
  const textOf = (pad: string) => JSON.stringify(messageOf("tools/call", { name: tool, arguments: { pad } }));
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

const takenOf = ({ status, body, text }: Pick<Answered, "status" | "body" | "text">): Taken => {
  if (status === 200 && !text.includes('"result"')) throw new Error(`no result: ${text}`);
  const { error } = body;
  return { status, error: typeof error === "string" ? error : undefined };
};

const posting =
  (host: { readonly port: number }, { headers = {}, path = "/mcp" }: Knock, usual: string) =>
  async ({ tool = usual, bytes }: Sent = {}): Promise<Taken> => {
    const more = headersFor("tools/call", tool);
    const body = callText(tool, bytes);
    return takenOf(await ask(host, { path, headers: { ...more, ...headers }, body }));
  };

const http: Way = {
  name: "HTTP",
  opening: 0,
  open: async (host, knock = {}) => ({ send: posting(host, knock, "say"), ended: undefined }),
};

/** A stream that stays open beside calls that are answered by streams. */
const sse: Way = {
  name: "SSE",
  opening: 1,
  open: (host, knock = {}) =>
    new Promise((resolve, reject) => {
      const { headers = {}, path = "/mcp" } = knock;
      const method = "subscriptions/listen";
      const body = JSON.stringify(messageOf(method, { notifications: { toolsListChanged: true } }));
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
        const ended = textOf(response);
        if (status !== 200) {
          void ended.then((text) => resolve({ status, error: JSON.parse(text).error }));
        } else resolve({ send: posting(host, knock, "tell"), ended: ended.then(lastWords) });
      });
      request.end(body);
    }),
};

const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = "";
  try {
    for await (const chunk of response) text += String(chunk);
  } catch {
    // Left by the test itself, which has read what it wanted.
  }
  return text;
};

const lastWords = (text: string): string => text.trim().split("\n").at(-1)!.replace(/^: /, "");

interface SocketAnswer {
  readonly id: number | null;
  readonly result?: unknown;
  readonly error?: { readonly data?: Taken };
}

const webSocket: Way = {
  name: "WebSocket",
  opening: 1,
  open: (host, { headers = {}, path = "/mcp" } = {}) =>
    new Promise((resolve, reject) => {
      const url = `ws://127.0.0.1:${host.port}${path}`;
      const socket = new WebSocket(url, "mcp", { headers: headers as Record<string, string> });
      onTestFinished(() => socket.terminate());
      socket.on("unexpected-response", (request, response) => {
        const { statusCode: status = 0 } = response;
        void textOf(response).then((text) => {
          request.destroy();
          resolve({ status, error: text === "" ? undefined : JSON.parse(text).error });
        });
      });
      socket.on("error", reject);
      const ended = closing(socket);
      socket.on("open", () => resolve({ send: sending(socket, ended), ended }));
    }),
};

const closing = (socket: WebSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.on("close", (code, reason) => resolve(`${code} ${String(reason)}`));
  });

/** What a code says of the messages that it leaves without an answer. */
const closedFor: Readonly<Record<string, Taken>> = {
  1008: { status: 401, error: "invalid_token" },
  1009: { status: 413, error: "body_too_large" },
};

const sending =
  (socket: WebSocket, ended: Promise<string>) =>
  ({ tool = "say", bytes }: Sent = {}): Promise<Taken> =>
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
        const taken = closedFor[words.split(" ", 1)[0]!];
        if (taken === undefined) reject(new Error(`closed with ${words}`));
        else resolve(taken);
      });
      socket.send(text, () => {});
    });

/** Every way a caller can come in over the network. */
export const ways: readonly Way[] = [http, sse, webSocket];
