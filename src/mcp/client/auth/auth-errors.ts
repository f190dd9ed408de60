import { OAuthError } from "@modelcontextprotocol/client";
import { SecretFault } from "../../../credentials/secrets/secret-fault.ts";
import { CredentialsError, ToolError } from "../../../words/errors.ts";

const quoted = (id: string): string => JSON.stringify(String(id).slice(0, 80));

/** Trying again would not help: somebody must change something. */
export const never = (id: string, what: string): CredentialsError =>
  new CredentialsError("secret_missing", `The MCP server ${quoted(id)} ${what}.`, {
    ran: false,
    retryable: false,
  });

export const unavailable = (id: string, what: string): CredentialsError =>
  new CredentialsError("token_unavailable", `The MCP server ${quoted(id)} ${what}.`, { ran: false });

export const signInRequired = (id: string, url: string): CredentialsError =>
  new CredentialsError(
    "sign_in_required",
    `Somebody must sign in to the MCP server ${quoted(id)} first, at ${url}`,
    { ran: false, detail: url },
  );

export const notSignedIn = (id: string, why: string): CredentialsError =>
  new CredentialsError("sign_in_required", `The sign-in to the MCP server ${quoted(id)} ${why}.`, {
    ran: false,
  });

/** A store may say anything in its error, tokens too; only words of our own are repeated. */
export const notKept = (id: string, what: "read" | "written", error: unknown): CredentialsError =>
  unavailable(
    id,
    `has tokens that could not be ${what}${error instanceof SecretFault ? `: ${error.message}` : ""}`,
  );

/** The error codes of OAuth are words of the protocol; whatever else a service says is not repeated. */
export const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof OAuthError)) return undefined;
  return /^[a-z_]{1,40}$/.test(error.code) ? error.code : undefined;
};

/** What the authorization service did, as an error of ours; those that already are stay as they are. */
export const toRefusal = (id: string, step: string, error: unknown): ToolError => {
  if (ToolError.is(error)) return error;
  const code = codeOf(error);
  // The SDK calls an answer that is no error of OAuth a server_error.
  if (code !== undefined && code !== "server_error" && code !== "temporarily_unavailable")
    return never(id, `was refused ${step} by its authorization service (${code})`);
  return unavailable(id, `got no ${step} from its authorization service that could be read`);
};
