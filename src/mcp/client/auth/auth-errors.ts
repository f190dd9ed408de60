import { OAuthError } from "@modelcontextprotocol/client";
import { SecretError } from "../../../base/credentials/secrets/secret-error.ts";
import { CredentialsError, ToolError } from "../../../types/errors.ts";

const quotedId = (id: string): string => JSON.stringify(String(id).slice(0, 80));

export const notRetryableAuthError = (id: string, what: string): CredentialsError =>
  new CredentialsError("secret_missing", `The MCP server ${quotedId(id)} ${what}.`, {
    ran: false,
    retryable: false,
  });

export const authUnavailableError = (id: string, what: string): CredentialsError =>
  new CredentialsError("token_unavailable", `The MCP server ${quotedId(id)} ${what}.`, { ran: false });

export const mcpSignInRequiredError = (id: string, url: string): CredentialsError =>
  new CredentialsError(
    "sign_in_required",
    `The MCP server ${quotedId(id)} requires a sign-in. A person must sign in at ${url}`,
    { ran: false, detail: url },
  );

export const signInFailedError = (id: string, why: string): CredentialsError =>
  new CredentialsError("sign_in_required", `The sign-in to the MCP server ${quotedId(id)} ${why}.`, {
    ran: false,
  });

/** The error of a custom store may contain tokens, so only our own messages are repeated. */
export const mcpTokenStoreError = (id: string, what: "read" | "written", error: unknown): CredentialsError =>
  authUnavailableError(
    id,
    `has tokens that could not be ${what}${error instanceof SecretError ? `: ${error.message}` : ""}`,
  );

export const oauthErrorCode = (error: unknown): string | undefined => {
  if (!(error instanceof OAuthError)) return undefined;
  return /^[a-z_]{1,40}$/.test(error.code) ? error.code : undefined;
};

export const toAuthError = (id: string, step: string, error: unknown): ToolError => {
  if (ToolError.is(error)) return error;
  const code = oauthErrorCode(error);
  // The SDK reports a response that is not an OAuth error as server_error.
  if (code !== undefined && code !== "server_error" && code !== "temporarily_unavailable")
    return notRetryableAuthError(id, `was refused ${step} by its authorization server (${code})`);
  return authUnavailableError(
    id,
    `received an unreadable response from its authorization server when it requested ${step}`,
  );
};
