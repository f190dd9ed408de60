import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { afterEach } from "vitest";
import type { AccessLine, HostOptions, HttpHost } from "../../src/server/host-options.ts";
import { httpHost } from "../../src/server/http-host.ts";
import type { Principal } from "../../src/words/principal.ts";

export interface SeenCall {
  readonly request: Request;
  readonly principal: Principal;
  readonly text: string;
}

export interface HostScene extends HttpHost {
  readonly seen: SeenCall[];
  readonly lines: AccessLine[];
  readonly errors: unknown[];
}

const open: HttpHost[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.close()));
});

export const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });

type Answer = (request: Request, principal: Principal, text: string) => Response | Promise<Response>;

/** A real host on loopback that notes what reaches the endpoint; closed after the test. */
export const hostScene = async (
  options: Partial<HostOptions> = {},
  answer: Answer = () => json({ ok: true }),
): Promise<HostScene> => {
  const seen: SeenCall[] = [];
  const lines: AccessLine[] = [];
  const errors: unknown[] = [];
  const host = await httpHost({
    auth: { kind: "none", principal: { agent: "local" } },
    mcp: {
      fetch: async (request, { principal, body }) => {
        const text = body === undefined ? "" : new TextDecoder().decode(body);
        seen.push({ request, principal, text });
        return answer(request, principal, text);
      },
      close: async () => {},
    },
    drainMs: 100,
    onAccess: (line) => lines.push(line),
    onError: (error) => errors.push(error),
    ...options,
  });
  open.push(host);
  return { ...host, seen, lines, errors };
};

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** A request that can lie in every header, which fetch does not let one do. */
export const ask = ({ port }: { readonly port: number }, asked: Asked = {}): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { method = "POST", path = "/mcp", headers = {}, body } = asked;
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

export const bearer = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
});

/** Bytes as they are, and everything that comes back until the socket closes. */
export const raw = (port: number, ...pieces: readonly string[]): Promise<string> =>
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
