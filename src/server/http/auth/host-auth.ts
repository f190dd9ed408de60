import type { JSONWebKeySet } from "jose";
import type { InboundToken } from "../../../base/credentials/token.ts";
import type { Principal } from "../../../types/principal.ts";

/** Every request acts as this principal. Loopback only. */
export interface NoAuth {
  readonly kind: "none";
  readonly principal: Principal;
}

/** Tokens as text, or as `sha256:` and the hexadecimal hash. */
export interface TokenAuth {
  readonly kind: "tokens";
  readonly tokens: readonly { readonly token: string; readonly principal: Principal }[];
}

/** Claims that identify the caller. Dots lead into nested claims. */
export interface ClaimNames {
  /** The first one present is used. Default: client_id, azp. */
  readonly agent?: readonly string[];
  /** Default: sub. Null if tokens have no user. */
  readonly user?: string | null;
  /** If set, tokens without this claim are rejected. */
  readonly tenant?: string;
  readonly roles?: string;
}

/** Access tokens of a trusted authorization server. */
export interface JwtAuth {
  readonly kind: "jwt";
  readonly issuer: string;
  /** Public URL of this endpoint; tokens with another audience are rejected. */
  readonly audience: string;
  readonly jwks: URL | string | JSONWebKeySet;
  /** Asymmetric algorithms only. */
  readonly algorithms?: readonly string[];
  /** Tool name patterns per scope. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  readonly claims?: ClaimNames;
  readonly clockToleranceSec?: number;
  /** Without these, the response is 403. */
  readonly requiredScopes?: readonly string[];
  /** `host:port` of key servers in private networks. */
  readonly allow?: readonly string[];
  /** Seconds between reads of the key set. Default: 300. */
  readonly jwksRefreshSec?: number;
}

/** Authentication of an HTTP endpoint: none, static tokens, or JWTs of an authorization server. */
export type HostAuth = NoAuth | TokenAuth | JwtAuth;

/** Protected resource metadata (RFC 9728). */
export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
}

/** `endsAt` is in milliseconds since 1970. */
export interface AuthenticatedCaller {
  readonly principal: Principal;
  readonly endsAt?: number;
}

export interface KeySetProblem {
  readonly message: string;
  /** Expiry of the last key set, in milliseconds since 1970. Without it, no token can be verified. */
  readonly holdsUntil?: number;
}

/** Only the principal leaves it, never the token. */
export interface Authenticator {
  /** Throws an `HttpError` if the token is missing or invalid. */
  readonly identify: (token: InboundToken | undefined) => Promise<AuthenticatedCaller>;
  readonly metadata?: ResourceMetadata | undefined;
  readonly problem?: () => KeySetProblem | undefined;
  /** Called when valid tokens may have become invalid. */
  readonly onChange?: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}
