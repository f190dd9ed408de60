import { CredentialsError } from "../../../types/errors.ts";
import { SecretError } from "../secret-source.ts";
import type { OAuthCredential } from "./oauth-credential.ts";

export const quoted = (name: string): string => JSON.stringify(String(name).slice(0, 80));

const permanentError = (message: string): CredentialsError =>
  new CredentialsError("secret_missing", message, { ran: false, retryable: false });

export const unknownCredentialError = (name: string, names: readonly string[]): CredentialsError =>
  permanentError(
    `The OAuth credential ${quoted(name)} is not configured; ${names.length === 0 ? "no credential is" : `the configured credentials are ${names.map(quoted).join(", ")}`}.`,
  );

export const noCallerError = (name: string): CredentialsError =>
  permanentError(
    `A token of ${quoted(name)} belongs to a caller, but this code has no caller. Request the token inside a tool's run, or pass a principal.`,
  );

export const wrongCallerError = (name: string): CredentialsError =>
  permanentError(
    `A token of ${quoted(name)} is available only to its own caller, and this call runs for another caller.`,
  );

export const noHttpClientError = (name: string): CredentialsError =>
  permanentError(`Tokens of ${quoted(name)} require the HTTP client: provide the service HttpEgress.`);

export const signInRequiredError = (
  name: string,
  { grant }: OAuthCredential,
  why: string,
): CredentialsError =>
  new CredentialsError(
    "sign_in_required",
    grant === "authorization_code"
      ? `${why} for ${quoted(name)}. The caller must sign in: open the URL of beginSignIn(${quoted(name)}), then call finishSignIn with the answer.`
      : `${why} for ${quoted(name)}. Store a new refresh token in the secret that its refreshToken names.`,
    { ran: false },
  );

export const unknownSignInError = (): CredentialsError =>
  permanentError(
    "No sign-in is pending for this state: it was already used, is older than 10 minutes, or was started by another caller or process. Start again with beginSignIn.",
  );

export const codeRejectedError = (name: string): CredentialsError =>
  permanentError(
    `The token service of ${quoted(name)} rejects the code of this sign-in: it was already used or has expired. Start again with beginSignIn.`,
  );

export const signInUnsupportedError = (name: string, { grant }: OAuthCredential): CredentialsError =>
  permanentError(
    `Sign-in to ${quoted(name)} is not possible: its grant is ${grant}, not authorization_code.`,
  );

export const wrongIssuerError = (name: string): CredentialsError =>
  permanentError(
    `The response to the sign-in to ${quoted(name)} is not from its issuer, so no request was sent. Start again with beginSignIn.`,
  );

export const tooManySignInsError = (): CredentialsError =>
  permanentError("Too many sign-ins are pending; they expire after 10 minutes.");

export const unnamedSecretError = (name: string): CredentialsError =>
  permanentError(`The function refreshToken of ${quoted(name)} threw. It must return the name of a secret.`);

export const tokenRejectedAgainError = (name: string): CredentialsError =>
  permanentError(
    `A token of ${quoted(name)} was refused by its service directly after it was renewed. Check its scopes and its audience.`,
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
