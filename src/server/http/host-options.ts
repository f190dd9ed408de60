import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Principal } from "../../types/principal.ts";
import type { McpFetch } from "../gateway/mcp-fetch.ts";
import type { HttpError, ReportError } from "../request/http-error.ts";
import type { HostAuth } from "./auth/host-auth.ts";
import type { SlotRequest } from "./host-state.ts";

/** Receives the principal and the body, already read and limited, never the credentials. */
export type McpEndpoint = Pick<McpFetch, "fetch" | "close"> &
  Partial<Pick<McpFetch, "isControlRequest" | "activeCalls">>;

/** Handles other paths. Without a token, open paths have no principal. */
export type RouteHandler = (
  request: Request,
  caller: { readonly principal: Principal | undefined },
) => Promise<Response>;

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
  readonly admit: (method: string, slot: SlotRequest) => Promise<AdmittedMessage | HttpError>;
  /** Called once when the token is no longer valid. */
  readonly onEnd: (end: (why: HttpError) => void) => void;
  readonly closed: (code: number) => void;
}

export interface AdmittedMessage {
  /** Keeps the slot until the returned function is called. */
  readonly hold?: () => () => void;
  readonly answered: (status: number) => void;
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
  readonly routes?: RouteHandler;
  /** Paths of `routes` that authenticate by their own cookie. Default: none. */
  readonly isOpen?: (path: string) => boolean;
  /** Receives sockets that passed all checks, without credentials in their headers. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, context: SocketContext) => void;
  readonly onAccess?: (line: AccessLogEntry) => void;
  /** Receives internal errors, with the reference that the client reads. */
  readonly onError?: ReportError;
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
