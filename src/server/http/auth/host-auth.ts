import type { JSONWebKeySet } from "jose";
import type { InboundToken } from "../../../base/credentials/token.ts";
import type { Principal } from "../../../types/principal.ts";
import type { HttpRejection } from "../http-rejection.ts";

/** Everybody is this principal. Only where nobody else can connect: on loopback. */
export interface NoAuth {
  readonly kind: "none";
  readonly principal: Principal;
}

/** Tokens an operator hands out, as text or better as `sha256:` and the hash of the text in hexadecimal. */
export interface TokenAuth {
  readonly kind: "tokens";
  readonly tokens: readonly { readonly token: string; readonly principal: Principal }[];
}

/** Which claims say who is calling; names with dots lead into nested claims unless a claim has that very name. */
export interface ClaimNames {
  /** The first one that is there: client_id, azp. Never the user's name, unless it is named here. */
  readonly agent?: readonly string[];
  /** sub; null where tokens stand for no user. */
  readonly user?: string | null;
  /** Where it is given, a token without it is refused: no caller falls out of its tenant. */
  readonly tenant?: string;
  readonly roles?: string;
}

/** Access tokens of an authorization server that the operator trusts. This host mints none. */
export interface JwtAuth {
  readonly kind: "jwt";
  readonly issuer: string;
  /** The resource identifier of this endpoint, its public URL. A token for anything else is refused. */
  readonly audience: string;
  readonly jwks: URL | string | JSONWebKeySet;
  /** Asymmetric ones only. */
  readonly algorithms?: readonly string[];
  /** Name patterns of the tools each scope opens. A scope that is not named opens nothing. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  readonly claims?: ClaimNames;
  readonly clockToleranceSec?: number;
  /** Without all of them there is no way in: 403. */
  readonly requiredScopes?: readonly string[];
  /** `host:port` of a key server in a private network. */
  readonly allow?: readonly string[];
  /** How often the keys are read again, in seconds: 300. What left the set is not trusted from then on. */
  readonly jwksRefreshSec?: number;
}

/** How callers of an HTTP endpoint say who they are: not at all, by tokens, or by JWTs of an authorization server. */
export type HostAuth = NoAuth | TokenAuth | JwtAuth;

/** RFC 9728: what a client must know to get a token for this endpoint. */
export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
}

/** Who is calling, and in milliseconds since 1970 until when the token says so. */
export interface AuthenticatedCaller {
  readonly principal: Principal;
  readonly endsAt?: number;
}

/** Why the issuer's keys cannot be read, and what to do about it. */
export interface KeySetProblem {
  readonly message: string;
  /** While the last set still holds: until when, in milliseconds since 1970. Without it no token can be checked. */
  readonly holdsUntil?: number;
}

/** Tells who is calling. The token goes in, and only a principal comes out. */
export interface Authenticator {
  readonly identify: (token: InboundToken | undefined) => Promise<AuthenticatedCaller | HttpRejection>;
  readonly metadata?: ResourceMetadata | undefined;
  readonly problem?: () => KeySetProblem | undefined;
  /** Calls back when a token that was good may not be any more. */
  readonly onChange?: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}
