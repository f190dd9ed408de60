import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Hono } from "hono";
import type { Principal } from "../../types/principal.ts";
import type { HostAuth } from "./auth/host-auth.ts";

export interface McpRequestContext {
  readonly principal: Principal;
  readonly body?: Uint8Array;
  /** Counts further messages of a batch. Returns a response if they exceed the rate limit. */
  readonly admitMore?: (count: number) => Response | undefined;
  /** Keeps the request's slot until the returned function is called. */
  readonly hold?: () => () => void;
}

/** Receives the principal, never the credentials. */
export interface McpEndpoint {
  /** The body is in the context, already read and limited. */
  readonly fetch: (request: Request, visit: McpRequestContext) => Promise<Response>;
  /** Waits for running calls, then ends them and all streams. */
  readonly close: (graceMs: number) => Promise<void>;
  /**
   * Whether the request answers or cancels something of its caller; without a body, whether it could. Exempt
   * from the rate limit.
   */
  readonly awaits?: (request: Request, visit: McpRequestContext) => boolean;
  /** Calls that a shutdown waits for. */
  readonly activeCalls?: () => number;
}

/** Receives the caller as `c.env.principal`; undefined on open paths without a token. */
export type HostApp = Hono<{ Bindings: { readonly principal: Principal | undefined } }>;

/** A problem in an operator's words, without secrets. */
export interface HostProblem {
  /** `ledger`, `jwks`, `servers` or `configuration`. */
  readonly part: string;
  readonly message: string;
}

export interface HostHealth {
  /** `degraded`: some tools cannot be called. `failing`: none can. */
  readonly status: "ok" | "degraded" | "failing";
  readonly servers: readonly { readonly id: string; readonly status: string }[];
  readonly problems?: readonly HostProblem[];
}

/** Contains no queries, headers or addresses. */
export interface AccessLogEntry {
  /** HTTP or MCP method; `close` for the end of a socket, `?` if unknown. */
  readonly method: string;
  /** `?` if not HTTP. */
  readonly path: string;
  /** HTTP status; for sockets 101, and the close code at the end. */
  readonly status: number;
  readonly ms: number;
  readonly agent: string | undefined;
  readonly transport?: "websocket";
}

/** Checks that a socket applies to each message. */
export interface SocketContext {
  readonly principal: Principal;
  readonly maxBodyBytes: number;
  /** For running calls, after the socket must end. */
  readonly drainMs: number;
  /** Admits one message. Call `answered` when it is answered or nothing waits for it. */
  readonly admit: (method: string, asked?: SocketMessageInfo) => Promise<AdmittedMessage | SocketRejection>;
  /** Called once when the token is no longer valid. */
  readonly onEnd: (end: (why: SocketRejection) => void) => void;
  readonly closed: (code: number) => void;
}

export interface SocketMessageInfo {
  /** Calls, streams and control messages have separate limits. */
  readonly kind: "call" | "standing" | "note";
  /** Exempt from the rate limit. */
  readonly isAwaited?: boolean;
}

export interface AdmittedMessage {
  readonly kind: "admitted";
  /** Keeps the slot until the returned function is called. */
  readonly hold?: () => () => void;
  readonly answered: (status: number) => void;
}

/** With `closeCode`, the socket closes. */
export interface SocketRejection {
  readonly kind: "refused";
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly retryAfterSec?: number;
  readonly closeCode?: number;
}

export interface HostRateLimits {
  /** Messages per minute and principal, over all transports. */
  readonly perMinute?: number;
  /** Default: a sixth of `perMinute`. */
  readonly burst?: number;
  /** Failed authentications per minute and address. */
  readonly failuresPerMinute?: number;
  readonly failureBurst?: number;
}

export interface HostOptions {
  readonly mcp: McpEndpoint;
  /** Addresses other than loopback need `auth`. Default: 127.0.0.1. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port?: number;
  readonly path?: string;
  readonly auth: HostAuth;
  /** Further Host headers, as `host` or `host:port`. */
  readonly allowedHosts?: readonly string[];
  /** Default: the host itself. */
  readonly allowedOrigins?: readonly string[];
  readonly maxBodyBytes?: number;
  /** Default: 15 seconds. */
  readonly bodyTimeoutMs?: number;
  /** Default: 6,000 messages and 60 failures per minute; without auth, none. */
  readonly rate?: HostRateLimits | false;
  /** Running calls, and as many open sockets and streams. */
  readonly maxConcurrent?: number;
  /** Default: 10 seconds. */
  readonly drainMs?: number;
  readonly health?: () => HostHealth | Promise<HostHealth>;
  readonly routes?: (app: HostApp) => void;
  /** Paths of `routes` that authenticate by their own cookie. Default: none. */
  readonly isOpen?: (path: string) => boolean;
  /** Receives sockets that passed all checks, without credentials in their headers. */
  readonly upgrade?: (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    principal: Principal,
    visit: SocketContext,
  ) => void;
  readonly onAccess?: (line: AccessLogEntry) => void;
  /** Receives internal errors. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
}

/** An open HTTP endpoint. */
export interface HttpHost {
  readonly url: string;
  readonly port: number;
  /** Configuration warnings for the operator. */
  readonly warnings: readonly string[];
  /** Replaces the authentication for all further messages. The kind of authentication cannot change. */
  readonly changeAuth: (auth: HostAuth) => Promise<void>;
  /** Rejects new requests with 503, waits for running calls, and closes all sockets. */
  readonly close: () => Promise<void>;
}
