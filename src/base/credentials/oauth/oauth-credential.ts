import type { Principal } from "../../../types/principal.ts";

/** Fields of every grant type. */
interface CommonGrantFields {
  /** The client id that the service knows. */
  readonly clientId: string;
  /** Name of a secret. A client without one is public and relies on PKCE. */
  readonly clientSecret?: string;
  /**
   * Sends the client secret in a header, or in the form body for servers that do not read the header. Unless
   * set: `basic`.
   */
  readonly clientAuth?: "basic" | "form";
  /** The token endpoint. If omitted, it is read from the metadata of `issuer` (RFC 8414). */
  readonly tokenUrl?: string;
  /** The authorization server. If set, a sign-in response from another issuer is refused (RFC 9207). */
  readonly issuer?: string;
  /** Requested scopes. Unless set: the default of the service. */
  readonly scopes?: readonly string[];
  /** Audience of the token, for services that require one. */
  readonly audience?: string;
  /** Resource indicators (RFC 8707): one URI or several. */
  readonly resource?: string | readonly string[];
}

/** A grant of the client itself, with one token per caller. */
interface ClientGrant extends CommonGrantFields {
  /** Grant type. */
  readonly grant: "client_credentials";
}

/** A grant that starts from an existing refresh token. */
interface RefreshGrant extends CommonGrantFields {
  /** Grant type. */
  readonly grant: "refresh_token";
  /** Returns the name of the secret that holds the caller's first refresh token. */
  readonly refreshToken: (principal: Principal) => string;
}

/** A user signs in, with PKCE. */
interface SignInGrant extends CommonGrantFields {
  /** Grant type. */
  readonly grant: "authorization_code";
  /** Where the user signs in. Unless set: read from the metadata of `issuer`. */
  readonly authorizationUrl?: string;
  /** Where the service sends the user back to. */
  readonly redirectUrl: string;
}

/** How to obtain a caller's token for one service. Secrets are referenced by name. */
export type OAuthCredential = ClientGrant | RefreshGrant | SignInGrant;
