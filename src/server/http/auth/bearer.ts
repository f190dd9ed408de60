import { type InboundToken, inboundToken } from "../../../base/credentials/token.ts";
import { HttpError } from "../../request/http-error.ts";

/** RFC 6750 §2.1. */
export const bearerTokenPattern = /^[A-Za-z0-9\-._~+/]+=*$/;

const maxTokenLength = 8 * 1024;

/** Undefined for other schemes, so that the response asks for a token. */
export const readBearer = (header: string | undefined): InboundToken | "malformed" | undefined => {
  const found = /^bearer(?: +(.*))?$/is.exec(header ?? "");
  if (found === null) return undefined;
  const text = found[1] ?? "";
  return text.length <= maxTokenLength && bearerTokenPattern.test(text) ? inboundToken(text) : "malformed";
};

export interface BearerChallenge {
  readonly metadataUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** These characters would end the quoted value. */
const authParameter = (name: string, value: string): string => `${name}="${value.replace(/["\\\r\n]/g, "")}"`;

const challengeHeader = (
  { metadataUrl, scopes }: BearerChallenge,
  error: readonly [string, string] | undefined,
): string => {
  const parameters = [
    metadataUrl === undefined ? undefined : authParameter("resource_metadata", metadataUrl),
    error === undefined ? undefined : authParameter("error", error[0]),
    error === undefined ? undefined : authParameter("error_description", error[1]),
    scopes === undefined || scopes.length === 0 ? undefined : authParameter("scope", scopes.join(" ")),
  ].filter((part) => part !== undefined);
  return parameters.length === 0 ? 'Bearer realm="mcp"' : `Bearer ${parameters.join(", ")}`;
};

const bearerError = (
  status: number,
  code: string,
  message: string,
  challenge: BearerChallenge,
): HttpError => {
  // RFC 6750 §3.1: a missing token is not an error.
  const error = code === "unauthorized" ? undefined : ([code, message] as const);
  return new HttpError(status, code, message, {
    headers: { "www-authenticate": challengeHeader(challenge, error) },
  });
};

export const tokenRequiredError = (challenge: BearerChallenge): HttpError =>
  bearerError(
    401,
    "unauthorized",
    "Send the header Authorization: Bearer with a token for this endpoint.",
    challenge,
  );

export const invalidTokenError = (challenge: BearerChallenge, message: string): HttpError =>
  bearerError(401, "invalid_token", message, challenge);

export const insufficientScopeError = (challenge: BearerChallenge, message: string): HttpError =>
  bearerError(403, "insufficient_scope", message, challenge);
