import type { JSONWebKeySet } from "jose";
import type { MaybeSecret } from "../../types/mcp.ts";
import type { Principal } from "../../types/principal.ts";

/** Authentication of the HTTP endpoint. */
export type ServeAuth = { readonly tokens: readonly ServeToken[] } | { readonly jwt: ServeJwt };

/** A static token and its principal. */
export interface ServeToken {
  /** The token, or its hash as `sha256:…`. At least 16 characters. */
  readonly token: MaybeSecret;
  /** Principal of requests with this token. */
  readonly principal: Principal;
}

/** Access tokens of an authorization server. */
export interface ServeJwt {
  /** Exact `iss` of tokens. */
  readonly issuer: string;
  /** Public URL of this endpoint. Tokens with another `aud` are rejected. */
  readonly audience: string;
  /** URL of the issuer's key set, or the keys. */
  readonly jwks: string | JSONWebKeySet;
  /** Accepted signature algorithms, all of them asymmetric. Default: all. */
  readonly algorithms?: readonly string[];
  /**
   * Tool name patterns that each scope allows. Scopes that are not listed allow no tools. `studio:read`,
   * `studio:approve` and `studio:run` grant access to the Studio, listed or not.
   */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  /** Scopes that every token needs; otherwise the response is 403. Default: none. */
  readonly requiredScopes?: readonly string[];
  /** Claims that identify the caller. */
  readonly claims?: ServeClaims;
  /** Clock tolerance in seconds, at most 300. Default: 0. */
  readonly clockToleranceSec?: number;
  /** `host:port` of key servers in private networks. Default: none. */
  readonly allow?: readonly string[];
  /** Seconds between reads of the keys. Default: 300. */
  readonly jwksRefreshSec?: number;
}

/** Claims that identify the caller. Dots lead into nested claims. */
export interface ServeClaims {
  /** Claims for the agent; the first one present is used. Default: `client_id`, `azp`. */
  readonly agent?: readonly string[];
  /** Claim for the user, or `null` if tokens have no user. Default: `sub`. */
  readonly user?: string | null;
  /** Claim for the tenant. Tokens without it are rejected. Default: no tenant. */
  readonly tenant?: string;
  /** Claim for the roles. Default: no roles. */
  readonly roles?: string;
}

/** Address, allowed clients and limits of `haft serve --http`. */
export interface ServeHttp {
  /** Address to bind. Addresses other than loopback need `auth`. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Port; 0 picks a free one. Default: 7333. */
  readonly port?: number;
  /** Path of the endpoint. Default: `/mcp`. */
  readonly path?: string;
  /** Accepted Host headers. Default: the bound address and loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call. Default: the host itself. */
  readonly allowedOrigins?: readonly string[];
  /** Maximum size of a request body or socket message in bytes. Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Messages per minute and caller, over all transports. Default: 6,000. */
  readonly perMinute?: number;
  /** Burst size of the rate limit. Default: a sixth of `perMinute`. */
  readonly burst?: number;
  /**
   * Maximum number of running calls, and of open sockets and streams; a caller gets at most three quarters.
   * Default: 512.
   */
  readonly maxConcurrent?: number;
  /** How long a shutdown waits for running calls, in milliseconds. Default: 10,000. */
  readonly drainMs?: number;
}

/** Settings of tool search. */
export interface ServeSearch {
  /** Names or patterns of tools that are always listed, such as `["files/read_*"]`. Default: none. */
  readonly always?: readonly string[];
  /** Clients that may use at most this many tools see all of them. Default: 50. */
  readonly above?: number;
  /** Number of tools per search, at most 20; clients can request another. Default: 5. */
  readonly maxCandidates?: number;
  /** Minimum score of a result, from 0 to 1. Default: 0.05. */
  readonly minScore?: number;
}

/** Options of `haft serve`. */
export interface ServeOptions {
  /** Server name for clients. Default: `haft`. */
  readonly name?: string;
  /** Human-readable title. Default: none. */
  readonly title?: string;
  /** Instructions for clients. Default: none. */
  readonly instructions?: string;
  /**
   * Who answers approvals: an operator with `haft approve` or the Studio (`elsewhere`), or a form in the
   * client (`client`), which trusts the client to show it to a person. Default: `elsewhere`.
   */
  readonly approvals?: "client" | "elsewhere";
  /**
   * Whose untrusted content taints later calls of a client: that of all servers, of servers other than the
   * called one, or none. Default: `all`.
   */
  readonly taint?: "all" | "others" | "off";
  /**
   * Whether to wait for upstream tasks for clients without task support (`finish`) or refuse such calls
   * (`pass`). Default: `finish`.
   */
  readonly tasks?: "finish" | "pass";
  /**
   * Lists few tools to clients with many, plus `search_tools`, `load_tools` and `call_tool`. Default: off.
   */
  readonly search?: boolean | ServeSearch;
  /** HTTP address and limits. */
  readonly http?: ServeHttp;
  /** Authentication over HTTP. Default: none; every loopback request acts as `principal`. */
  readonly auth?: ServeAuth;
}
