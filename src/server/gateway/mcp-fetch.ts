import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import { isObject } from "../../base/json/json-value.ts";
import type { Principal } from "../../types/principal.ts";
import { checkJsonContent } from "../request/check-request.ts";
import { HttpError, markLongLived, rpcErrorResponse, toRpcError } from "../request/http-error.ts";
import { decodeBody, defaultBodyTimeoutMs, readRequestBytes } from "../request/read-body.ts";
import { methodNotAllowedError, type RequestContext } from "../request/serve-request.ts";
import { principalOfAuthInfo, toAuthInfo, toServerEvents } from "./client-connection.ts";
import { createClientConnection } from "./connect-client.ts";
import { isMethod } from "./dispatch-method.ts";
import type { GatewayBackend } from "./gateway-backend.ts";
import { createGatewayState, type GatewayOptions, type GatewayState } from "./gateway-state.ts";
import { LegacySessions } from "./http/legacy-sessions.ts";
import { paramHeaderProblem } from "./http/param-headers.ts";
import {
  type ResourceSubscription,
  subscribedUrisOf,
  subscribeUpstream,
} from "./lists/upstream-subscriptions.ts";
import { resolveCallTool } from "./search/resolve-call-tool.ts";
import { parseBody, readRequest } from "./wire/read-request.ts";

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

export interface McpFetch {
  readonly fetch: (request: Request, context: RequestContext) => Promise<Response>;
  /** Whether the request answers or cancels something in its session; without a body, whether it could. */
  readonly isControlRequest: (request: Request, context: RequestContext) => boolean;
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
    { principal, body: bytes, admitMore, hold }: RequestContext,
  ): Promise<Response> => {
    checkJsonContent(request.headers);
    const limits = { maxBodyBytes, bodyTimeoutMs: defaultBodyTimeoutMs };
    const body = parseMessages(bytes ?? (await readRequestBytes(request, limits)));
    if (body instanceof Response) return body;
    if (Array.isArray(body) && body.length > 1) admitMore?.(body.length - 1);
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
      try {
        if (isClosing) throw closingError();
        if (request.method === "POST") return await handlePost(request, context);
        if (request.method !== "GET" && request.method !== "DELETE")
          throw methodNotAllowedError(["GET", "POST", "DELETE"]);
        return await sessions.fetch(request, context, undefined);
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        return rpcErrorResponse(error.status, toRpcError(error), { headers: error.headers });
      }
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

class ChangeStreams {
  readonly #gateway: GatewayState;
  readonly #max: number;
  readonly #open = new Set<() => Promise<void>>();

  constructor(gateway: GatewayState, max: number) {
    this.#gateway = gateway;
    this.#max = max;
  }

  /** One handler per stream, so that callers only receive their own events. */
  fetch(request: Request, principal: Principal, body: { readonly id?: unknown; readonly params?: unknown }) {
    if (this.#open.size >= this.#max) {
      return rpcErrorResponse(200, { code: -32603, message: "Subscription limit reached" }, { id: body.id });
    }
    const handler = createMcpHandler(() => createClientConnection(this.#gateway, principal).server, {
      legacy: "reject",
      bus: {
        publish: () => {},
        subscribe: (listener) => {
          this.#open.add(handler.close);
          const leave = this.#follow(principal, subscribedUrisOf(body.params), listener);
          return () => {
            this.#open.delete(handler.close);
            leave();
          };
        },
      },
    });
    const answered = handler.fetch(request, { authInfo: toAuthInfo(principal), parsedBody: body });
    return answered.then(markLongLived);
  }

  #follow(principal: Principal, uris: readonly string[], tell: (event: ServerEvent) => void): () => void {
    const followed = new Map<string, ResourceSubscription>();
    let isOver = false;
    for (const uri of new Set(uris)) {
      subscribeUpstream(this.#gateway, principal, uri).then(
        (following) => {
          if (isOver) following?.leave();
          else if (following !== undefined) followed.set(uri, following);
        },
        () => {},
      );
    }
    const stop = this.#gateway.backend.onChange((news, serverId) => {
      for (const event of toServerEvents(news, serverId, followed)) tell(event);
    });
    return () => {
      isOver = true;
      stop();
      for (const { leave } of followed.values()) leave();
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((end) => end()));
  }
}

/** Without the fallback, the SDK answers unknown methods with the right HTTP status. */
const serverFor = (gateway: GatewayState, authInfo: AuthInfo | undefined): Server => {
  const { server } = createClientConnection(gateway, principalOfAuthInfo(authInfo)!);
  if (!isMethod(authInfo?.extra?.method)) delete server.fallbackRequestHandler;
  return server;
};

const closingError = (): HttpError =>
  new HttpError(503, "closing", "The server is closing.", { headers: { "retry-after": "5" } });

/** Parse errors have a code of their own in JSON-RPC. */
const parseMessages = (bytes: Uint8Array): unknown => {
  const text = decodeBody(bytes);
  const reading = text === undefined ? undefined : readRequest(text);
  if (reading?.ok === true) return reading.value;
  const why = reading?.problem.message ?? "its bytes are not UTF-8.";
  const message = `Parse error: the request body is not strict JSON: ${why}`;
  return rpcErrorResponse(400, { code: -32700, message });
};

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
