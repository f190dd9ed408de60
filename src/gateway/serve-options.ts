import type { JSONWebKeySet } from "jose";
import type { MaybeSecret } from "../words/mcp.ts";
import type { Principal } from "../words/principal.ts";

/** Who may use the endpoint over HTTP, and as whom. */
export type ServeAuth =
  | {
      /** `sha256:…` of a token, or the token as a secret; at least 16 characters. */
      readonly tokens: readonly { readonly token: MaybeSecret; readonly principal: Principal }[];
    }
  | { readonly jwt: ServeJwt };

/** Access tokens of an authorization server; docs/guides/gateway.md says what each field is for. */
export interface ServeJwt {
  readonly issuer: string;
  /** The identifier of this endpoint, for which tokens must be issued. */
  readonly audience: string;
  /** Where the issuer's keys are, or the keys. */
  readonly jwks: string | JSONWebKeySet;
  readonly algorithms?: readonly string[];
  /** Which tools a scope opens, by name pattern. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  readonly requiredScopes?: readonly string[];
  readonly claims?: {
    readonly agent?: readonly string[];
    readonly user?: string | null;
    readonly tenant?: string;
    readonly roles?: string;
  };
  readonly clockToleranceSec?: number;
  readonly allow?: readonly string[];
}

/** How `haft serve` serves a runtime. */
export interface ServeOptions {
  readonly name?: string;
  readonly title?: string;
  /** What clients are told about the whole. */
  readonly instructions?: string;
  /** Asks the client's person, or waits for `haft approve`. */
  readonly approvals?: "client" | "elsewhere";
  /** Whose words make a later call of the same client suspect: those of other servers (unless given), of all, or of none. */
  readonly taint?: "others" | "all" | "off";
  /** Waits for tasks that servers make of calls by clients that know no tasks (`finish`), or refuses such calls. */
  readonly tasks?: "finish" | "pass";
  readonly http?: {
    readonly host?: string;
    readonly port?: number;
    readonly path?: string;
    readonly allowedHosts?: readonly string[];
    readonly allowedOrigins?: readonly string[];
    readonly maxBodyBytes?: number;
    readonly perMinute?: number;
    readonly maxConcurrent?: number;
    readonly drainMs?: number;
  };
  readonly auth?: ServeAuth;
}
