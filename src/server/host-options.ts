import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Hono } from "hono";
import type { Principal } from "../words/principal.ts";
import type { HostAuth } from "./auth/host-auth.ts";

/** What answers on the endpoint. It is told who calls and never what the caller showed to prove it. */
export interface McpEndpoint {
  /** The body of a request that has one stands beside it, read and within bounds. */
  readonly fetch: (
    request: Request,
    visit: { readonly principal: Principal; readonly body?: Uint8Array },
  ) => Promise<Response>;
  /** Lets running calls finish for so long, then ends them and every standing stream. */
  readonly close: (graceMs: number) => Promise<void>;
  /** Calls that a shutdown waits for; standing streams are none. */
  readonly activeCalls?: () => number;
}

/** What later rooms mount gets the caller as `c.env.principal`. */
export type HostApp = Hono<{ Bindings: { readonly principal: Principal } }>;

export interface HostHealth {
  readonly status: "ok" | "degraded";
  readonly servers: readonly { readonly id: string; readonly status: string }[];
}

/** One line of an access log: no query, no header, no address. */
export interface AccessLine {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly agent: string | undefined;
}

export interface HostRate {
  /** Requests a minute of one principal, in the long run and at once. */
  readonly perMinute?: number;
  readonly burst?: number;
  /** Requests a minute from one address whose caller could not be told. */
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
  /** 6000 a minute, 1000 at once and 60 failures for each, unless given; without auth nobody is counted. */
  readonly rate?: HostRate | false;
  /** Requests in flight, standing streams among them. */
  readonly maxConcurrent?: number;
  /** How long a shutdown waits for running calls: 10 seconds. */
  readonly drainMs?: number;
  readonly health?: () => HostHealth;
  readonly routes?: (app: HostApp) => void;
  /** Gets sockets that passed the same checks as any request, with what they showed taken out of the headers. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal) => void;
  readonly onAccess?: (line: AccessLine) => void;
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
  /** Other callers from the next request on; another kind of auth needs another host. */
  readonly changeAuth: (auth: HostAuth) => Promise<void>;
  /** New requests get 503, running calls finish, then every socket is closed. */
  readonly close: () => Promise<void>;
}
