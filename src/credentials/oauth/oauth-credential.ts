import type { Principal } from "../../words/principal.ts";

interface OfEveryGrant {
  readonly clientId: string;
  /** Name of a secret. A client without one is public, and proves itself by PKCE alone. */
  readonly clientSecret?: string;
  /** How the client shows its secret: in a header, or in the form for servers that read no other. */
  readonly clientAuth?: "basic" | "form";
  /** Left out, it is read from the metadata of `issuer` (RFC 8414). */
  readonly tokenUrl?: string;
  /** Who answers. Named, an answer to a sign-in that says it comes from somebody else is refused (RFC 9207). */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly audience?: string;
  /** What the token is for (RFC 8707): a URI, or several. */
  readonly resource?: string | readonly string[];
}

/** How a caller's token for one service is had. Data but for `refreshToken`; secrets go by name. */
export type OAuthCredential =
  /** The client's own right, with a token for each caller. */
  | (OfEveryGrant & { readonly grant: "client_credentials" })
  /** A right that was given before; the secret of this name holds the first refresh token of a caller. */
  | (OfEveryGrant & {
      readonly grant: "refresh_token";
      readonly refreshToken: (principal: Principal) => string;
    })
  /** A person signs in, with PKCE. */
  | (OfEveryGrant & {
      readonly grant: "authorization_code";
      readonly authorizationUrl?: string;
      readonly redirectUrl: string;
    });
