import { type InboundToken, inboundToken } from "../../credentials/token.ts";
import { type HttpRefusal, refusal } from "../refusal.ts";

/** Characters a token can have in a header (RFC 6750 §2.1). */
export const tokenSyntax = /^[A-Za-z0-9\-._~+/]+=*$/;

const longest = 8 * 1024;

/** What an Authorization header shows: nothing where it speaks of another scheme, so that ours is asked for. */
export const readBearer = (header: string | undefined): InboundToken | "malformed" | undefined => {
  const found = /^bearer(?: +(.*))?$/is.exec(header ?? "");
  if (found === null) return undefined;
  const text = found[1] ?? "";
  return text.length <= longest && tokenSyntax.test(text) ? inboundToken(text) : "malformed";
};

export interface BearerChallenge {
  readonly metadataUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** Values are ours or an operator's, and were judged; a quote in one would end it early all the same. */
const parameter = (name: string, value: string): string => `${name}="${value.replace(/["\\\r\n]/g, "")}"`;

const header = (
  { metadataUrl, scopes }: BearerChallenge,
  error: readonly [string, string] | undefined,
): string => {
  const parameters = [
    metadataUrl === undefined ? undefined : parameter("resource_metadata", metadataUrl),
    error === undefined ? undefined : parameter("error", error[0]),
    error === undefined ? undefined : parameter("error_description", error[1]),
    scopes === undefined || scopes.length === 0 ? undefined : parameter("scope", scopes.join(" ")),
  ].filter((part) => part !== undefined);
  return parameters.length === 0 ? 'Bearer realm="mcp"' : `Bearer ${parameters.join(", ")}`;
};

/** No token was shown, which is no error yet (RFC 6750 §3.1). */
export const tokenRequired = (challenge: BearerChallenge): HttpRefusal =>
  refusal(401, "unauthorized", "Send the header Authorization: Bearer with a token for this endpoint.", {
    "www-authenticate": header(challenge, undefined),
  });

export const invalidToken = (challenge: BearerChallenge, message: string): HttpRefusal =>
  refusal(401, "invalid_token", message, {
    "www-authenticate": header(challenge, ["invalid_token", message]),
  });

export const insufficientScope = (challenge: BearerChallenge, message: string): HttpRefusal =>
  refusal(403, "insufficient_scope", message, {
    "www-authenticate": header(challenge, ["insufficient_scope", message]),
  });
