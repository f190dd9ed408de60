import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * One scripted answer. A promise among the events pauses the stream until it settles, so that no test needs a
 * clock.
 */
export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The raw body, for bodies that are not JSON. */
  readonly text?: string;
  /** A string is sent as it is; an object as JSON, with its `type` as the name of the event if `named`. */
  readonly sse?: readonly unknown[];
  readonly named?: boolean;
  readonly ndjson?: readonly unknown[];
  /** After the script: the body ends, the connection breaks, or nothing more is sent. */
  readonly then?: "end" | "cut" | "hang";
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Settles when the answer is over, at either end of the connection. */
  readonly closed: Promise<void>;
}

type Route = ScriptedResponse | readonly ScriptedResponse[] | ((request: WireRequest) => ScriptedResponse);

export interface WireServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  readonly close: () => Promise<void>;
}

const frame = (event: unknown, answer: ScriptedResponse): string => {
  const text = typeof event === "string" ? event : JSON.stringify(event);
  if (answer.ndjson !== undefined) return `${text}\n`;
  const name = answer.named === true ? (event as { readonly type?: string }).type : undefined;
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
};

const write = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((done) => response.write(text, () => done()));

const give = async (response: ServerResponse, answer: ScriptedResponse): Promise<void> => {
  const type = answer.sse ? "text/event-stream" : answer.ndjson ? "application/x-ndjson" : "application/json";
  response.writeHead(answer.status ?? 200, { "content-type": type, ...answer.headers });
  response.flushHeaders();
  if (answer.text !== undefined) await write(response, answer.text);
  if (answer.json !== undefined) await write(response, JSON.stringify(answer.json));
  for (const event of answer.sse ?? answer.ndjson ?? []) {
    if (event instanceof Promise) await event;
    else await write(response, frame(event, answer));
  }
  if (answer.then === "cut") response.socket?.destroy();
  else if (answer.then !== "hang") response.end();
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * An HTTP server on loopback that sends documented or recorded answers of a provider. Routes are keyed by
 * path, or by `*` for any other. A list answers one request after another, and 404 follows after it.
 */
export const wireServer = async (routes: Readonly<Record<string, Route>>): Promise<WireServer> => {
  const requests: WireRequest[] = [];
  const given = new Map<string, number>();

  const answerFor = (request: WireRequest): ScriptedResponse => {
    const route = routes[request.path] ?? routes["*"] ?? [];
    if (typeof route === "function") return route(request);
    const index = given.get(request.path) ?? 0;
    given.set(request.path, index + 1);
    const list: readonly ScriptedResponse[] = Array.isArray(route) ? route : Array(index + 1).fill(route);
    return (
      list[index] ?? { status: 404, json: { error: { message: `nothing scripted for ${request.path}` } } }
    );
  };

  const server = createServer(async (incoming, response) => {
    response.on("error", () => {});
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const path = new URL(incoming.url ?? "/", "http://loopback").pathname;
    const closed = new Promise<void>((done) => response.on("close", () => done()));
    const { headers, method = "" } = incoming;
    const request = { method, path, headers, body: parsed(body), closed };
    requests.push(request);
    await give(response, answerFor(request));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));

  const close = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close, [Symbol.asyncDispose]: close };
};
