import type { JSONWebKeySet } from "jose";
import type { MaybeSecret } from "../../types/mcp.ts";
import type { Principal } from "../../types/principal.ts";

/** Who may use the endpoint over HTTP, and as whom. */
export type ServeAuth = { readonly tokens: readonly ServeToken[] } | { readonly jwt: ServeJwt };

/** A token that an operator hands out, and who calls with it. */
export interface ServeToken {
  /** `sha256:…` of a token, or the token as a secret; at least 16 characters. */
  readonly token: MaybeSecret;
  /** Who calls with it. */
  readonly principal: Principal;
}

/** Access tokens of an authorization server. */
export interface ServeJwt {
  /** The `iss` of tokens, to the letter. */
  readonly issuer: string;
  /** The public address of this endpoint, which tokens have as `aud`. A token for anything else is refused. */
  readonly audience: string;
  /** Where the issuer's keys are, or the keys. */
  readonly jwks: string | JSONWebKeySet;
  /** Algorithms that signatures may have, of the asymmetric ones. Unless set: all of those. */
  readonly algorithms?: readonly string[];
  /** Which tools a scope opens, by name pattern. A scope that is not named opens nothing. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  /** A token without all of these is refused with 403. Unless set: none. */
  readonly requiredScopes?: readonly string[];
  /** Which claims say who is calling. */
  readonly claims?: ServeClaims;
  /** By how many seconds clocks may differ, 300 at most. Unless set: 0. */
  readonly clockToleranceSec?: number;
  /** `host:port` of a key server in a private network. Unless set: none. */
  readonly allow?: readonly string[];
  /** How often the issuer's keys are read again, in seconds; one that is gone is not trusted from then on. Unless set: 300. */
  readonly jwksRefreshSec?: number;
}

/** Which claims of a token say who is calling. A name with dots leads into nested claims. */
export interface ServeClaims {
  /** The agent is the first of these that is there. Unless set: `client_id`, `azp`. */
  readonly agent?: readonly string[];
  /** The user; `null` where tokens stand for no user. Unless set: `sub`. */
  readonly user?: string | null;
  /** The tenant. A token without this claim is refused. Unless set: no tenant. */
  readonly tenant?: string;
  /** The roles. Unless set: no roles. */
  readonly roles?: string;
}

/** Where `haft serve --http` listens, whom it answers, and its limits. */
export interface ServeHttp {
  /** The address it binds to. One that others can reach needs `auth`. Unless set: `127.0.0.1`. */
  readonly host?: string;
  /** The port; 0 takes any free one. Unless set: 7333. */
  readonly port?: number;
  /** The path of the endpoint. Unless set: `/mcp`. */
  readonly path?: string;
  /** Host headers that are answered. Unless set: the address itself and the names of loopback. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call. Unless set: pages of the host itself. */
  readonly allowedOrigins?: readonly string[];
  /** The largest body of a request, and the largest message of a socket. Unless set: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Messages a minute of one caller, over HTTP and sockets together. Unless set: 6,000. */
  readonly perMinute?: number;
  /** How many of these may come at once. Unless set: a sixth of `perMinute`, which is 1,000 of 6,000. */
  readonly burst?: number;
  /** Calls under way, three quarters of them at most for one caller; as many sockets and streams may be open besides. Unless set: 512. */
  readonly maxConcurrent?: number;
  /** How long a shutdown waits for running calls. Unless set: 10,000. */
  readonly drainMs?: number;
}

/** How clients of many tools are shown a handful, and find the others. */
export interface ServeSearch {
  /** Tools that are listed all the same, by name or pattern: `["files/read_*"]`. Unless set: none. */
  readonly always?: readonly string[];
  /** A client that may use at most so many tools is listed them all. Unless set: 50. */
  readonly above?: number;
  /** How many tools a search finds, unless the client asks for another number; 20 at most. Unless set: 5. */
  readonly maxCandidates?: number;
  /** What fits less than this is not found, 0 to 1. Unless set: 0.05. */
  readonly minScore?: number;
}

/** How `haft serve` serves a runtime. */
export interface ServeOptions {
  /** What clients see the endpoint call itself. Unless set: `haft`. */
  readonly name?: string;
  /** The same for people to read. Unless set: none. */
  readonly title?: string;
  /** What clients are told about the whole. Unless set: nothing. */
  readonly instructions?: string;
  /** Where approvals are given: by an operator with `haft approve` or the Studio (`elsewhere`), or in a form of the client (`client`), which trusts the client to show it to a person. Unless set: `elsewhere`. */
  readonly approvals?: "client" | "elsewhere";
  /**
   * Whose untrusted content taints later calls of the same client: that of all servers, of servers other than the called
   * one, or none. A call without arguments carries nothing, so content of the called server itself does not taint it.
   * Unless set: `all`.
   */
  readonly taint?: "all" | "others" | "off";
  /**
   * Waits for tasks that servers make of calls by clients that know no tasks (`finish`), or refuses such calls (`pass`).
   * Unless set: `finish`.
   */
  readonly tasks?: "finish" | "pass";
  /**
   * Lists a handful of tools to clients that may use many, with `search_tools`, `load_tools` and `call_tool` for the
   * others. Unless set: every client is listed all that it may use.
   */
  readonly search?: boolean | ServeSearch;
  /** Where it listens over HTTP. */
  readonly http?: ServeHttp;
  /** Who may call over HTTP, and as whom. Unless set: everybody, as `principal`, on loopback only. */
  readonly auth?: ServeAuth;
}
