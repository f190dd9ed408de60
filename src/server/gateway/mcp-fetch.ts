import {
  type AuthInfo,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  readRequestBody,
  type Server,
} from "@modelcontextprotocol/server";
import { isObject } from "../../base/json/is-object.ts";
import type { Principal } from "../../types/principal.ts";
import { principalOfAuthInfo, toAuthInfo } from "./client-connection.ts";
import { createClientConnection } from "./connect-client.ts";
import { isMethod } from "./dispatch-method.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import { createGatewayState, type GatewayOptions, type GatewayState } from "./gateway-state.ts";
import { ChangeStreams } from "./http/change-streams.ts";
import { LegacySessions } from "./http/legacy-sessions.ts";
import { paramHeaderProblem } from "./http/param-headers.ts";
import { rpcErrorResponse } from "./http/rpc-response.ts";
import { servePeers } from "./peers/serve-peers.ts";
import { resolveCallTool } from "./search/resolve-call-tool.ts";
import { parseBody } from "./wire/message-kind.ts";
import { readRequest } from "./wire/read-request.ts";

export interface McpFetchOptions extends GatewayOptions {
  /** Shared with sockets of the same endpoint. */
  readonly gateway?: GatewayState;
  /** The most bytes a request may have: 4 MiB. */
  readonly maxBodyBytes?: number;
  readonly maxSessions?: number;
  /** How long a session of an old client lives without a request: 30 minutes. */
  readonly sessionIdleMs?: number;
  /** What is kept of a session's messages for a stream that broke: 256, and 256 KiB. */
  readonly keptEvents?: number;
  readonly keptEventBytes?: number;
  readonly maxListeners?: number;
}

/** Who calls, as whoever let the request in knows it. */
export interface McpFetchContext {
  readonly principal: Principal;
  /** Stands beside a request whose body was read already. */
  readonly body?: Uint8Array;
  /** Asked where a body holds so many messages more than one; gives the refusal if they are too many. */
  readonly admitMore?: (count: number) => Response | undefined;
  /** Holds the request's place for a call that may outlive it. */
  readonly hold?: () => () => void;
}

export interface McpFetch {
  readonly fetch: (request: Request, visit: McpFetchContext) => Promise<Response>;
  /** Whether a request answers a question or cancels a call of its session; without its body, whether it could. */
  readonly awaits: (request: Request, visit: McpFetchContext) => boolean;
  /** Takes nothing more, waits so long for calls that run, and ends the rest. */
  readonly close: (graceMs: number) => Promise<void>;
  /** Calls that run now; those that wait for a client's answer do not count. */
  readonly activeCalls: number;
  readonly sessions: number;
  readonly gateway: GatewayState;
}

interface JsonRpcBody {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** One endpoint for clients of both eras. Whoever mounts it has checked who calls, and from where. */
export const createMcpFetch = (served: GatewayBackend, options: McpFetchOptions = {}): McpFetch => {
  const gateway = options.gateway ?? createGatewayState(served, options);
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
  const sessions = new LegacySessions(gateway, {
    maxBodyBytes,
    maxSessions: options.maxSessions ?? 1000,
    idleMs: options.sessionIdleMs ?? 1_800_000,
    keptEvents: options.keptEvents ?? 256,
    keptEventBytes: options.keptEventBytes ?? 256 * 1024,
  });
  const changeStreams = new ChangeStreams(gateway, options.maxListeners ?? 1024);
  const modern = createMcpHandler(({ authInfo }) => serverFor(gateway, authInfo), {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
  });
  let isClosing = false;
  servePeers(gateway, sessions);

  const handlePost = async (
    request: Request,
    { principal, body: bytes, admitMore, hold }: McpFetchContext,
  ): Promise<Response> => {
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return rpcErrorResponse(415, {
        code: -32000,
        message: "Unsupported Media Type: Content-Type must be application/json",
      });
    }
    const read = await readBody(request, bytes, maxBodyBytes);
    if (read instanceof Response) return read;
    const { body } = read;
    const tooManyMessages = Array.isArray(body) && body.length > 1 ? admitMore?.(body.length - 1) : undefined;
    if (tooManyMessages !== undefined) return tooManyMessages;
    if (!hasModernMeta(body) && (await isLegacyRequest(request, body))) {
      return sessions.fetch(request, { principal, hold }, body);
    }
    const message: JsonRpcBody =
      typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
    if (message.method === "subscriptions/listen") return changeStreams.fetch(request, principal, message);
    return (
      headerProblem(served, principal, request, message) ??
      modern.fetch(request, {
        authInfo: toAuthInfo(principal, { method: message.method, hold }),
        parsedBody: body,
      })
    );
  };

  return {
    fetch: async (request, visit) => {
      if (isClosing) {
        return rpcErrorResponse(
          503,
          { code: -32000, message: "The server is closing." },
          { headers: { "Retry-After": "5" } },
        );
      }
      if (request.method === "POST") return handlePost(request, visit);
      if (request.method === "GET" || request.method === "DELETE") {
        return sessions.fetch(request, visit, undefined);
      }
      return rpcErrorResponse(
        405,
        { code: -32000, message: "Method not allowed." },
        { headers: { Allow: "GET, POST, DELETE" } },
      );
    },
    awaits: (request, { principal, body }) => {
      const requests = sessions.requestsOf(request, principal);
      if (requests === undefined) return false;
      return body === undefined ? requests.isBusy() : requests.isAwaited(parseBody(body));
    },
    close: async (graceMs) => {
      isClosing = true;
      await changeStreams.close();
      await gateway.drain(graceMs);
      // Whatever has just been answered is still on its way out.
      await new Promise((resolve) => setImmediate(resolve));
      await modern.close();
      await sessions.close();
    },
    get activeCalls() {
      let busy = 0;
      for (const call of gateway.live) if (call.isBusy) busy++;
      return busy;
    },
    get sessions() {
      return sessions.size;
    },
    gateway,
  };
};

/** A method that nobody answers is the SDK's to refuse, which then also says so in HTTP. */
const serverFor = (gateway: GatewayState, authInfo: AuthInfo | undefined): Server => {
  const { server } = createClientConnection(gateway, principalOfAuthInfo(authInfo)!);
  if (!isMethod(authInfo?.extra?.method)) delete server.fallbackRequestHandler;
  return server;
};

/** Bytes that are no text are refused: replaced, they would be other arguments than were sent. */
const decoder = new TextDecoder("utf-8", { fatal: true });

const readText = (request: Request, bytes: Uint8Array | undefined, max: number) => {
  if (bytes === undefined) return readRequestBody(request, max);
  return bytes.byteLength > max
    ? { tooLarge: true as const }
    : { tooLarge: false as const, text: decoder.decode(bytes) };
};

const readBody = async (
  request: Request,
  bytes: Uint8Array | undefined,
  max: number,
): Promise<Response | { readonly body: unknown }> => {
  try {
    const read = await readText(request, bytes, max);
    if (read.tooLarge) {
      return rpcErrorResponse(413, {
        code: -32000,
        message: `Payload Too Large: a request has at most ${max} bytes`,
      });
    }
    const reading = readRequest(read.text);
    return reading.ok ? { body: reading.value } : parseErrorResponse(reading.problem.message);
  } catch {
    return parseErrorResponse("its bytes are not UTF-8.");
  }
};

const parseErrorResponse = (why: string): Response =>
  rpcErrorResponse(400, {
    code: -32700,
    message: `Parse error: the request body is not strict JSON: ${why}`,
  });

/** Requests that carry this are never of the old era; the rest takes a closer look. */
const hasModernMeta = (body: unknown): boolean => {
  const params = (body as JsonRpcBody | null)?.params as { readonly _meta?: unknown } | null | undefined;
  const meta = params?._meta;
  return typeof meta === "object" && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
};

const headerMismatchCode = -32020;

/** A tool has more names than the one that is listed, and by none of them a way around its headers. */
const withListedName = ({ listedName, search }: GatewayBackend, requestParams: unknown): unknown => {
  const call = search === undefined || !isObject(requestParams) ? undefined : resolveCallTool(requestParams);
  const params = call?.ok === true ? call.params : requestParams;
  const { name } = (params ?? {}) as { readonly name?: unknown };
  return listedName === undefined || typeof name !== "string"
    ? params
    : { ...(params as object), name: listedName(name) };
};

/** Checks of headers against the body that the SDK leaves to servers of its own making. */
const headerProblem = (
  served: GatewayBackend,
  principal: Principal,
  request: Request,
  { id, method, params }: JsonRpcBody,
): Response | undefined => {
  const reject = (mismatch: { readonly header: string; readonly body: string }): Response => {
    const message = `Bad Request: the request headers and body disagree: ${mismatch.header}, ${mismatch.body}`;
    return rpcErrorResponse(400, { code: headerMismatchCode, message, data: { mismatch } }, { id });
  };
  if (method === "tools/call") {
    const problem = paramHeaderProblem(
      served.tools(principal),
      withListedName(served, params),
      request.headers,
    );
    return problem === undefined ? undefined : reject(problem);
  }
  if (method === "tasks/get" || method === "tasks/update" || method === "tasks/cancel") {
    const { taskId } = (params ?? {}) as { readonly taskId?: unknown };
    const name = request.headers.get("mcp-name");
    if (name !== null && name !== taskId) return reject({ header: "Mcp-Name", body: "/taskId is another" });
  }
  return undefined;
};
