import { refuseHeader } from "../../http/headers.ts";
import { ToolDefinitionError } from "../../words/errors.ts";

/**
 * A secret by name, and the header it travels in. There is no query form: URLs end up in logs. For
 * `basic` the secret is `user:password`.
 */
export type SecretAuth =
  | { readonly secret: string; readonly scheme?: "bearer" | "basic" }
  | { readonly secret: string; readonly header: string };

/** The caller's own token of an OAuth credential, as Bearer. */
export interface OAuthAuth {
  readonly kind: "oauth";
  readonly credential: string;
}

export type HttpAuth = SecretAuth | OAuthAuth;

export const isOAuth = (auth: HttpAuth | undefined): auth is OAuthAuth =>
  auth !== undefined && "kind" in auth && auth.kind === "oauth";

export const headerOf = (auth: SecretAuth): string => ("header" in auth ? auth.header : "authorization");

const isName = (name: unknown): boolean => typeof name === "string" && name !== "";

const refuse = (auth: HttpAuth): string | undefined => {
  if (isOAuth(auth))
    return isName(auth.credential) ? undefined : "`auth.credential` is the name of an OAuth credential";
  return isName(auth.secret) ? refuseHeader(headerOf(auth), "") : "`auth.secret` is the name of a secret";
};

export const checkAuth = (auth: HttpAuth): void => {
  const reason = refuse(auth);
  if (reason !== undefined)
    throw new ToolDefinitionError("invalid_definition", `The auth of an HTTP tool: ${reason}.`);
};
