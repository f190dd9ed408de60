import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Hono } from "hono";
import type { Principal } from "../../types/principal.ts";
import type { HostAuth } from "./auth/host-auth.ts";

/** A request to the endpoint that passed every check. */
export interface McpRequestContext {
  readonly principal: Principal;
  readonly body?: Uint8Array;
  /** A body may hold several messages, and each counts: asked for so many more, the refusal if they are too many. */
  readonly admitMore?: (count: number) => Response | undefined;
  /** Holds the request's place for a call that it began; call what comes back when the call is over. */
  readonly hold?: () => () => void;
}

/** What answers on the endpoint. It is told who calls and never what the caller showed to prove it. */
export interface McpEndpoint {
  /** The body of a request that has one stands beside it, read and within bounds. */
  readonly fetch: (request: Request, visit: McpRequestContext) => Promise<Response>;
  /** Lets running calls finish for so long, then ends them and every standing stream. */
  readonly close: (graceMs: number) => Promise<void>;
  /**
   * Whether a request ends something of its caller's that is open: answers a question, cancels a call. Such a request is
   * taken from a caller that is over its rate too. Asked before its body is read, whether it can be one.
   */
  readonly awaits?: (request: Request, visit: McpRequestContext) => boolean;
  /** Calls that a shutdown waits for; standing streams are none. */
  readonly activeCalls?: () => number;
}

/** What is mounted gets the caller as `c.env.principal`: nobody where the path is open and no token was shown. */
export type HostApp = Hono<{ Bindings: { readonly principal: Principal | undefined } }>;

/** Something that does not work, in words for an operator; no secret is in them. */
export interface HostProblem {
  /** What it is: `ledger`, `jwks`, `servers`, `configuration`. */
  readonly part: string;
  readonly message: string;
}

export interface HostHealth {
  /** Degraded, some tools cannot be called; failing, none can. */
  readonly status: "ok" | "degraded" | "failing";
  readonly servers: readonly { readonly id: string; readonly status: string }[];
  readonly problems?: readonly HostProblem[];
}

/** One line of an access log: no query, no header, no address. */
export interface AccessLogEntry {
  /** Of HTTP; for a message over a socket that of the protocol, such as `tools/call`, and `close` for its end; `?` where it is none. */
  readonly method: string;
  /** `?` for what is no HTTP, and so has none. */
  readonly path: string;
  /** Of HTTP; 101 for a socket that was opened, and at its end the code it was closed with. */
  readonly status: number;
  readonly ms: number;
  readonly agent: string | undefined;
  /** Of every line about a socket. */
  readonly transport?: "websocket";
}

/** A socket that was let in. Whoever serves it asks here before each message, and is told when it must end. */
export interface SocketContext {
  readonly principal: Principal;
  readonly maxBodyBytes: number;
  /** How long calls under way may take once the socket must end. */
  readonly drainMs: number;
  /** The checks of a request over HTTP, for one message: `answered` is called when it was, or nobody waits any more. */
  readonly admit: (method: string, asked?: SocketMessageInfo) => Promise<AdmittedMessage | SocketRejection>;
  /** Calls back once when its token ended, was taken back, or means something else. */
  readonly onEnd: (end: (why: SocketRejection) => void) => void;
  /** The socket is closed, under this code. */
  readonly closed: (code: number) => void;
}

/** What is known of a message before it is let in. */
export interface SocketMessageInfo {
  /** A call takes a place until it is over; what stays open and what starts nothing are bounded apart from calls. */
  readonly kind: "call" | "standing" | "note";
  /** It answers a question or cancels a call, and is taken from a caller that is over its rate too. */
  readonly isAwaited?: boolean;
}

export interface AdmittedMessage {
  readonly kind: "admitted";
  /** Holds the message's place for a call that may outlive its answer; call what comes back when the call is over. */
  readonly hold?: () => () => void;
  readonly answered: (status: number) => void;
}

/** Why a message is not taken. With a code, the socket is closed under it. */
export interface SocketRejection {
  readonly kind: "refused";
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly retryAfterSec?: number;
  readonly closeCode?: number;
}

export interface HostRateLimits {
  /** Messages a minute of one principal, in the long run and over every transport together. */
  readonly perMinute?: number;
  /** So many of them at once; a sixth of `perMinute` unless given. */
  readonly burst?: number;
  /** Requests a minute from one address whose caller could not be told, and so many of them at once. */
  readonly failuresPerMinute?: number;
  readonly failureBurst?: number;
}

export interface HostOptions {
  readonly mcp: McpEndpoint;
  /** 127.0.0.1. Any address that others can reach needs `auth`. */
  readonly host?: string;
  /** 0 takes any free one. */
  readonly port?: number;
  readonly path?: string;
  readonly auth: HostAuth;
  /** Host headers answered besides the bound address and the names of loopback, as `host` or `host:port`. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call; only pages of the host itself unless given. */
  readonly allowedOrigins?: readonly string[];
  readonly maxBodyBytes?: number;
  /** How long a whole body may take to arrive: 15 seconds. */
  readonly bodyTimeoutMs?: number;
  /** 6000 a minute, a sixth of that at once, and 60 failures, unless given; without auth nobody is counted. */
  readonly rate?: HostRateLimits | false;
  /** Calls under way, whether or not their clients still wait; as many sockets and streams may stay open besides. */
  readonly maxConcurrent?: number;
  /** How long a shutdown waits for running calls: 10 seconds. */
  readonly drainMs?: number;
  readonly health?: () => HostHealth | Promise<HostHealth>;
  readonly routes?: (app: HostApp) => void;
  /** Of the paths of `routes`, those that find out by a cookie of their own who is calling: they are asked without a token too. Unless given, none. */
  readonly isOpen?: (path: string) => boolean;
  /** Gets sockets that passed the same checks as any request, with what they showed taken out of the headers. */
  readonly upgrade?: (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    principal: Principal,
    visit: SocketContext,
  ) => void;
  readonly onAccess?: (line: AccessLogEntry) => void;
  /** Hears what broke inside; a client is only told that something did. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
}

/** An HTTP endpoint that is open: where it is, and how to close it. */
export interface HttpHost {
  readonly url: string;
  readonly port: number;
  /** What an operator must know of how the host stands, in plain sentences. */
  readonly warnings: readonly string[];
  /** Other callers and other rights from the next message on; another kind of auth is refused, and needs another host. */
  readonly changeAuth: (auth: HostAuth) => Promise<void>;
  /** New requests get 503, running calls finish, then every socket is closed. */
  readonly close: () => Promise<void>;
}
