import { CredentialsError } from "../../../types/errors.ts";
import { SecretError } from "../secrets/secret-error.ts";
import type { OAuthCredential } from "./oauth-credential.ts";

export const quoted = (name: string): string => JSON.stringify(String(name).slice(0, 80));

const permanentError = (message: string): CredentialsError =>
  new CredentialsError("secret_missing", message, { ran: false, retryable: false });

export const unknownCredentialError = (name: string, names: readonly string[]): CredentialsError =>
  permanentError(
    `There is no OAuth credential ${quoted(name)}; ${names.length === 0 ? "no credential is configured" : `there are ${names.map(quoted).join(", ")}`}.`,
  );

export const noCallerError = (name: string): CredentialsError =>
  permanentError(
    `A token of ${quoted(name)} belongs to a caller, and there is no caller: request it inside a tool's run, or pass a principal.`,
  );

export const wrongCallerError = (name: string): CredentialsError =>
  permanentError(
    `A token of ${quoted(name)} is available to its own caller only; this call runs for another caller.`,
  );

export const noHttpClientError = (name: string): CredentialsError =>
  permanentError(
    `No token of ${quoted(name)} can be had without the outgoing client: provide the service Outside.`,
  );

export const signInRequiredError = (
  name: string,
  { grant }: OAuthCredential,
  why: string,
): CredentialsError =>
  new CredentialsError(
    "sign_in_required",
    grant === "authorization_code"
      ? `${why} for ${quoted(name)}. It must sign in: open the URL of beginSignIn(${quoted(name)}), then call finishSignIn with the answer.`
      : `${why} for ${quoted(name)}. A new refresh token is needed under the secret that its refreshToken names.`,
    { ran: false },
  );

export const unknownSignInError = (): CredentialsError =>
  permanentError(
    "No sign-in is pending for this state: it was used, is older than 10 minutes, or was started by another caller or process. Start again with beginSignIn.",
  );

export const codeRejectedError = (name: string): CredentialsError =>
  permanentError(
    `The token service of ${quoted(name)} rejects the code of this sign-in: it was used or has expired. Start again with beginSignIn.`,
  );

export const signInUnsupportedError = (name: string, { grant }: OAuthCredential): CredentialsError =>
  permanentError(
    `Sign-in to ${quoted(name)} is not possible: its grant is ${grant}, not authorization_code.`,
  );

export const wrongIssuerError = (name: string): CredentialsError =>
  permanentError(
    `The answer to the sign-in to ${quoted(name)} does not come from its issuer. No request was sent; start again with beginSignIn.`,
  );

export const tooManySignInsError = (): CredentialsError =>
  permanentError("Too many sign-ins are pending; they expire after 10 minutes.");

export const unnamedSecretError = (name: string): CredentialsError =>
  permanentError(`The function refreshToken of ${quoted(name)} threw instead of naming a secret.`);

export const tokenRejectedAgainError = (name: string): CredentialsError =>
  permanentError(
    `A token of ${quoted(name)} was refused by the service it is for, right after it was renewed; check its scopes and its audience.`,
  );

export const tokenServiceOf = (name: string): string => `token service of ${quoted(name)}`;

export const authRejectedError = (service: string, what: string): CredentialsError =>
  permanentError(`The ${service} ${what}.`);

export const authUnavailableError = (service: string, what: string): CredentialsError =>
  new CredentialsError("token_unavailable", `The ${service} ${what}.`, { ran: false });

/** The store's error may contain tokens, so only the text of a `SecretError` is included. */
export const tokenStoreError = (
  label: string,
  what: "read" | "written",
  error: unknown,
): CredentialsError => {
  const why = error instanceof SecretError ? `: ${error.message}` : "";
  return new CredentialsError(
    "token_unavailable",
    `The token store could not be ${what} for ${label}${why}.`,
    { ran: false },
  );
};
