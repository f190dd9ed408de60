import { headerProblem } from "../../base/http/headers.ts";
import { ToolDefinitionError } from "../../types/errors.ts";

/** Prefer headers: queries end up in server logs. For `basic` the secret is `user:password`. */
export type SecretAuth =
  | { readonly secret: string; readonly scheme?: "bearer" | "basic" }
  | { readonly secret: string; readonly header: string }
  | { readonly secret: string; readonly query: string }
  | { readonly secret: string; readonly cookie: string };

/** The caller's own OAuth token, as Bearer. */
export interface OAuthAuth {
  readonly kind: "oauth";
  readonly credential: string;
}

export type HttpAuth = SecretAuth | OAuthAuth;

export const isOAuth = (auth: HttpAuth | undefined): auth is OAuthAuth =>
  auth !== undefined && "kind" in auth && auth.kind === "oauth";

export const headerOf = (auth: SecretAuth): string => {
  if ("cookie" in auth) return "cookie";
  return "header" in auth ? auth.header : "authorization";
};

export const authsOf = (auth: HttpAuth | readonly HttpAuth[] | undefined): readonly HttpAuth[] =>
  auth === undefined ? [] : Array.isArray(auth) ? auth : [auth as HttpAuth];

const isName = (name: unknown): boolean => typeof name === "string" && name !== "";

const authProblem = (auth: HttpAuth): string | undefined => {
  if (isOAuth(auth))
    return isName(auth.credential) ? undefined : "`auth.credential` must be the name of an OAuth credential";
  if (!isName(auth.secret)) return "`auth.secret` must be the name of a secret";
  if ("query" in auth)
    return isName(auth.query) ? undefined : "`auth.query` must be the name of a query parameter";
  if ("cookie" in auth)
    return /^[^\s=;,"]+$/.test(auth.cookie) ? undefined : "`auth.cookie` must be the name of a cookie";
  return headerProblem(headerOf(auth), "");
};

export const checkAuth = (auth: HttpAuth): void => {
  const reason = authProblem(auth);
  if (reason !== undefined)
    throw new ToolDefinitionError("invalid_definition", `The auth of an HTTP tool: ${reason}.`);
};
