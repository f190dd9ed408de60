import {
  type AuthInfo,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  readRequestBody,
  type Server,
} from "@modelcontextprotocol/server";
import { isObject } from "../json/is-object.ts";
import type { Principal } from "../words/principal.ts";
import { authInfoOf, callerOf } from "./client-connection.ts";
import { type FrontOptions, type GatewayState, gatewayStateOf } from "./gateway-state.ts";
import { LegacySessions } from "./http/legacy-sessions.ts";
import { ChangeStreams } from "./http/listen.ts";
import { paramHeaderProblem } from "./http/param-headers.ts";
import { rpcError } from "./http/rpc-response.ts";
import { connectionFor } from "./mcp-server.ts";
import { isMethod } from "./methods.ts";
import { answerPeers } from "./peers/answer-peers.ts";
import { meantCall } from "./search/call-by-name.ts";
import type { Served } from "./served.ts";
import { readBytes } from "./wire/message-kind.ts";
import { readRequest } from "./wire/read-request.ts";

export interface McpFetchOptions extends FrontOptions {
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
export interface FetchVisit {
  readonly principal: Principal;
  /** Stands beside a request whose body was read already. */
  readonly body?: Uint8Array;
  /** Asked where a body holds so many messages more than one; gives the refusal if they are too many. */
  readonly admitMore?: (count: number) => Response | undefined;
  /** Holds the request's place for a call that may outlive it. */
  readonly hold?: () => () => void;
}

export interface McpFetch {
  readonly fetch: (request: Request, visit: FetchVisit) => Promise<Response>;
  /** Whether a request answers a question or cancels a call of its session; without its body, whether it could. */
  readonly awaits: (request: Request, visit: FetchVisit) => boolean;
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
export const mcpFetch = (served: Served, options: McpFetchOptions = {}): McpFetch => {
  const gateway = options.gateway ?? gatewayStateOf(served, options);
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
  const sessions = new LegacySessions(gateway, {
    maxBodyBytes,
    maxSessions: options.maxSessions ?? 1000,
    idleMs: options.sessionIdleMs ?? 1_800_000,
    keptEvents: options.keptEvents ?? 256,
    keptEventBytes: options.keptEventBytes ?? 256 * 1024,
  });
  const listeners = new ChangeStreams(gateway, options.maxListeners ?? 1024);
  const modern = createMcpHandler(({ authInfo }) => serverFor(gateway, authInfo), {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
  });
  let isClosing = false;
  answerPeers(gateway, sessions);

  const post = async (
    request: Request,
    { principal, body: bytes, admitMore, hold }: FetchVisit,
  ): Promise<Response> => {
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return rpcError(415, {
        code: -32000,
        message: "Unsupported Media Type: Content-Type must be application/json",
      });
    }
    const read = await readBody(request, bytes, maxBodyBytes);
    if (read instanceof Response) return read;
    const { body } = read;
    const crowded = Array.isArray(body) && body.length > 1 ? admitMore?.(body.length - 1) : undefined;
    if (crowded !== undefined) return crowded;
    if (!claimsModern(body) && (await isLegacyRequest(request, body))) {
      return sessions.fetch(request, { principal, hold }, body);
    }
    const message: JsonRpcBody =
      typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
    if (message.method === "subscriptions/listen") return listeners.fetch(request, principal, message);
    return (
      headerProblem(served, principal, request, message) ??
      modern.fetch(request, {
        authInfo: authInfoOf(principal, { method: message.method, hold }),
        parsedBody: body,
      })
    );
  };

  return {
    fetch: async (request, visit) => {
      if (isClosing) {
        return rpcError(
          503,
          { code: -32000, message: "The server is closing." },
          { headers: { "Retry-After": "5" } },
        );
      }
      if (request.method === "POST") return post(request, visit);
      if (request.method === "GET" || request.method === "DELETE") {
        return sessions.fetch(request, visit, undefined);
      }
      return rpcError(
        405,
        { code: -32000, message: "Method not allowed." },
        { headers: { Allow: "GET, POST, DELETE" } },
      );
    },
    awaits: (request, { principal, body }) => {
      const requests = sessions.requestsOf(request, principal);
      if (requests === undefined) return false;
      return body === undefined ? requests.isBusy() : requests.isAwaited(readBytes(body));
    },
    close: async (graceMs) => {
      isClosing = true;
      await listeners.close();
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
  const { server } = connectionFor(gateway, callerOf(authInfo)!);
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
      return rpcError(413, {
        code: -32000,
        message: `Payload Too Large: a request has at most ${max} bytes`,
      });
    }
    const reading = readRequest(read.text);
    return reading.ok ? { body: reading.value } : unreadable(reading.problem.message);
  } catch {
    return unreadable("its bytes are not UTF-8.");
  }
};

const unreadable = (why: string): Response =>
  rpcError(400, { code: -32700, message: `Parse error: the request body is not strict JSON: ${why}` });

/** Requests that carry this are never of the old era; the rest takes a closer look. */
const claimsModern = (body: unknown): boolean => {
  const params = (body as JsonRpcBody | null)?.params as { readonly _meta?: unknown } | null | undefined;
  const meta = params?._meta;
  return typeof meta === "object" && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
};

const headerMismatch = -32020;

/** A tool has more names than the one that is listed, and by none of them a way around its headers. */
const asListed = ({ listedName, search }: Served, given: unknown): unknown => {
  const meant = search === undefined || !isObject(given) ? undefined : meantCall(given);
  const params = meant?.ok === true ? meant.params : given;
  const { name } = (params ?? {}) as { readonly name?: unknown };
  return listedName === undefined || typeof name !== "string"
    ? params
    : { ...(params as object), name: listedName(name) };
};

/** Checks of headers against the body that the SDK leaves to servers of its own making. */
const headerProblem = (
  served: Served,
  principal: Principal,
  request: Request,
  { id, method, params }: JsonRpcBody,
): Response | undefined => {
  const reject = (mismatch: { readonly header: string; readonly body: string }): Response => {
    const message = `Bad Request: the request headers and body disagree: ${mismatch.header}, ${mismatch.body}`;
    return rpcError(400, { code: headerMismatch, message, data: { mismatch } }, { id });
  };
  if (method === "tools/call") {
    const problem = paramHeaderProblem(served.tools(principal), asListed(served, params), request.headers);
    return problem === undefined ? undefined : reject(problem);
  }
  if (method === "tasks/get" || method === "tasks/update" || method === "tasks/cancel") {
    const { taskId } = (params ?? {}) as { readonly taskId?: unknown };
    const name = request.headers.get("mcp-name");
    if (name !== null && name !== taskId) return reject({ header: "Mcp-Name", body: "/taskId is another" });
  }
  return undefined;
};
