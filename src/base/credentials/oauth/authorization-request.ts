import { createHash, randomBytes } from "node:crypto";

export const signInLifetimeMs = 10 * 60_000;

export const randomToken = (): string => randomBytes(32).toString("base64url");

interface AuthorizationRequest {
  readonly authorizationUrl: string;
  readonly clientId: string;
  readonly redirectUrl: string;
  readonly state: string;
  readonly resource: readonly string[];
  /** Parameters that are sent if they have a value. */
  readonly more: Readonly<Record<string, string | undefined>>;
}

/** The URL where the user signs in, with PKCE, and the verifier that the token request needs. */
export const createAuthorizationRequest = ({
  authorizationUrl,
  clientId,
  redirectUrl,
  state,
  resource,
  more,
}: AuthorizationRequest): { readonly url: URL; readonly verifier: string } => {
  const verifier = randomToken();
  const url = new URL(authorizationUrl);
  const fields = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUrl,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...more,
  };
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") url.searchParams.set(field, value);
  }
  for (const one of resource) url.searchParams.append("resource", one);
  return { url, verifier };
};

interface IssuerCheck {
  readonly iss: string | undefined;
  readonly issuer: string | undefined;
  /** Whether the service promises to name its issuer. */
  readonly saysIssuer: boolean;
}

/** RFC 9207: must be checked before the code or the error is read. */
export const isOtherIssuer = ({ iss, issuer, saysIssuer }: IssuerCheck): boolean =>
  issuer !== undefined && (iss === undefined ? saysIssuer : iss !== issuer);
