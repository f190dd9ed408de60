import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import type { AccessLogEntry, HostOptions, HttpHost } from "../../src/server/http/host-options.ts";
import { openHttpHost } from "../../src/server/http/http-host.ts";
import type { Principal } from "../../src/types/principal.ts";

export interface ReceivedRequest {
  readonly request: Request;
  readonly principal: Principal;
  readonly text: string;
}

export interface HostScene extends HttpHost {
  readonly seen: ReceivedRequest[];
  readonly lines: AccessLogEntry[];
  readonly errors: unknown[];
}

export const jsonReply = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });

type HostHandler = (request: Request, principal: Principal, text: string) => Response | Promise<Response>;

/** A real host on loopback that records what reaches the endpoint. It is closed after the test. */
export const hostScene = async (
  options: Partial<HostOptions> = {},
  answer: HostHandler = () => jsonReply({ ok: true }),
): Promise<HostScene> => {
  const received: ReceivedRequest[] = [];
  const accessLog: AccessLogEntry[] = [];
  const errors: unknown[] = [];
  const host = await openHttpHost({
    auth: { kind: "none", principal: { agent: "local" } },
    mcp: {
      fetch: async (request, { principal, body }) => {
        const text = body === undefined ? "" : new TextDecoder().decode(body);
        received.push({ request, principal, text });
        return answer(request, principal, text);
      },
      close: async () => {},
    },
    drainMs: 100,
    onAccess: (line) => accessLog.push(line),
    onError: (error) => errors.push(error),
    ...options,
  });
  // Hooks run last to first: clients that connect later are closed before the host, which waits for them otherwise.
  onTestFinished(() => host.close());
  return { ...host, seen: received, lines: accessLog, errors };
};

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

interface RawRequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** A request with any headers, including those that fetch does not allow. */
export const sendRawRequest = (
  { port }: { readonly port: number },
  init: RawRequestOptions = {},
): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { method = "POST", path = "/mcp", headers = {}, body } = init;
    const sent = method === "POST" ? (body ?? "{}") : body;
    const request = httpRequest(
      {
        port,
        path,
        method,
        host: "127.0.0.1",
        agent: false,
        headers: {
          ...(sent === undefined
            ? {}
            : { "content-type": "application/json", "content-length": sent.length }),
          ...headers,
        } as Record<string, string>,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("error", reject);
        response.on("end", () => {
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
          const parsed = isJson && text !== "" ? JSON.parse(text) : {};
          resolve({ status: response.statusCode!, headers: response.headers, text, body: parsed });
        });
      },
    );
    request.on("error", reject);
    request.end(sent);
  });

export const errorCodeOf = ({ body }: RawResponse): unknown =>
  (body.error as { readonly code?: unknown } | undefined)?.code;

export const bearer = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
});

/** Sends raw bytes and returns everything that is received until the socket closes. */
export const sendRawBytes = (port: number, ...pieces: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
