import { quoted } from "../../../base/credentials/oauth/credential-errors.ts";
import { CredentialsError } from "../../../types/errors.ts";

export const mcpServerLabel = (id: string): string => `MCP server ${quoted(id)}`;

export const mcpSignInRequiredError = (label: string, url: string): CredentialsError =>
  new CredentialsError(
    "sign_in_required",
    `The ${label} requires a sign-in. A person must sign in at ${url}`,
    { ran: false, detail: url },
  );

export const signInFailedError = (label: string, why: string): CredentialsError =>
  new CredentialsError("sign_in_required", `The sign-in to the ${label} ${why}.`, { ran: false });
