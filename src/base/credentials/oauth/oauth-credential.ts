import type { Principal } from "../../../types/principal.ts";

/** What every kind of grant has. */
interface CommonGrantFields {
  /** Under which name this program is known to the service. */
  readonly clientId: string;
  /** Name of a secret. A client without one is public, and proves itself by PKCE alone. */
  readonly clientSecret?: string;
  /** How the client shows its secret: in a header, or in the form for servers that read no other. Unless set: `basic`. */
  readonly clientAuth?: "basic" | "form";
  /** Left out, it is read from the metadata of `issuer` (RFC 8414). */
  readonly tokenUrl?: string;
  /** Who answers. Named, an answer to a sign-in that says it comes from somebody else is refused (RFC 9207). */
  readonly issuer?: string;
  /** What the token is to open. Unless set: what the service gives. */
  readonly scopes?: readonly string[];
  /** For whom the token is, where the service wants that said. */
  readonly audience?: string;
  /** What the token is for (RFC 8707): a URI, or several. */
  readonly resource?: string | readonly string[];
}

/** The client's own right, with a token for each caller. */
interface ClientGrant extends CommonGrantFields {
  /** Names this kind. */
  readonly grant: "client_credentials";
}

/** A right that was given before. */
interface RefreshGrant extends CommonGrantFields {
  /** Names this kind. */
  readonly grant: "refresh_token";
  /** Gives the name of the secret that holds the first refresh token of a caller. */
  readonly refreshToken: (principal: Principal) => string;
}

/** A person signs in, with PKCE. */
interface SignInGrant extends CommonGrantFields {
  /** Names this kind. */
  readonly grant: "authorization_code";
  /** Where the person signs in. Unless set: read from the metadata of `issuer`. */
  readonly authorizationUrl?: string;
  /** Where the person comes back to. */
  readonly redirectUrl: string;
}

/** How a caller's token for one service is had. Data but for `refreshToken`; secrets go by name. */
export type OAuthCredential = ClientGrant | RefreshGrant | SignInGrant;
