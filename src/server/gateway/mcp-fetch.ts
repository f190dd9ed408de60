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
import { resolveCallTool } from "./search/resolve-call-tool.ts";
import { parseBody } from "./wire/message-kind.ts";
import { readRequest } from "./wire/read-request.ts";

export interface McpFetchOptions extends GatewayOptions {
  /** Shared with sockets. */
  readonly gateway?: GatewayState;
  /** Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  readonly maxSessions?: number;
  /** Of legacy sessions. Default: 30 minutes. */
  readonly sessionIdleMs?: number;
  /** Kept per session for resuming streams. Defaults: 256 and 256 KiB. */
  readonly keptEvents?: number;
  readonly keptEventBytes?: number;
  readonly maxListeners?: number;
}

export interface McpFetchContext {
  readonly principal: Principal;
  readonly body?: Uint8Array;
  /** Counts further messages of a batch. Returns a response if they exceed the rate limit. */
  readonly admitMore?: (count: number) => Response | undefined;
  /** Keeps the request's slot for a call that outlives it. */
  readonly hold?: () => () => void;
}

export interface McpFetch {
  readonly fetch: (request: Request, context: McpFetchContext) => Promise<Response>;
  /** Whether the request answers or cancels something in its session; without a body, whether it could. */
  readonly isControlRequest: (request: Request, context: McpFetchContext) => boolean;
  readonly close: (graceMs: number) => Promise<void>;
  /** Without calls that wait for client input. */
  readonly activeCalls: number;
  readonly sessions: number;
  readonly gateway: GatewayState;
}

interface JsonRpcBody {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** For modern and legacy clients. The caller authenticates requests and checks their origin. */
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
    fetch: async (request, context) => {
      if (isClosing) {
        return rpcErrorResponse(
          503,
          { code: -32000, message: "The server is closing." },
          { headers: { "Retry-After": "5" } },
        );
      }
      if (request.method === "POST") return handlePost(request, context);
      if (request.method === "GET" || request.method === "DELETE") {
        return sessions.fetch(request, context, undefined);
      }
      return rpcErrorResponse(
        405,
        { code: -32000, message: "Method not allowed." },
        { headers: { Allow: "GET, POST, DELETE" } },
      );
    },
    isControlRequest: (request, { principal, body }) => {
      const requests = sessions.requestsOf(request, principal);
      if (requests === undefined) return false;
      return body === undefined ? requests.isBusy() : requests.isAwaited(parseBody(body));
    },
    close: async (graceMs) => {
      isClosing = true;
      await changeStreams.close();
      await gateway.drain(graceMs);
      // Lets finished responses be sent.
      await new Promise((resolve) => setImmediate(resolve));
      await modern.close();
      await sessions.close();
    },
    get activeCalls() {
      let busy = 0;
      for (const call of gateway.liveCalls) if (call.isBusy) busy++;
      return busy;
    },
    get sessions() {
      return sessions.size;
    },
    gateway,
  };
};

/** Without the fallback, the SDK answers unknown methods with the right HTTP status. */
const serverFor = (gateway: GatewayState, authInfo: AuthInfo | undefined): Server => {
  const { server } = createClientConnection(gateway, principalOfAuthInfo(authInfo)!);
  if (!isMethod(authInfo?.extra?.method)) delete server.fallbackRequestHandler;
  return server;
};

/** Replacement characters would change the arguments. */
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

const hasModernMeta = (body: unknown): boolean => {
  const params = (body as JsonRpcBody | null)?.params as { readonly _meta?: unknown } | null | undefined;
  const meta = params?._meta;
  return typeof meta === "object" && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
};

const headerMismatchCode = -32020;

/** Other names of a tool must not bypass the header checks. */
const withListedName = ({ listedName, search }: GatewayBackend, requestParams: unknown): unknown => {
  const call = search === undefined || !isObject(requestParams) ? undefined : resolveCallTool(requestParams);
  const params = call?.ok === true ? call.params : requestParams;
  const { name } = (params ?? {}) as { readonly name?: unknown };
  return listedName === undefined || typeof name !== "string"
    ? params
    : { ...(params as object), name: listedName(name) };
};

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
