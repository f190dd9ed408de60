import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { Credentials } from "../../outside/credentials.ts";
import { refuseHeader } from "../../outside/headers.ts";
import { CredentialsError, ToolDefinitionError } from "../../words/errors.ts";

/**
 * A secret by name, and the header it travels in. There is no query form: URLs end up in logs. For
 * `basic` the secret is `user:password`.
 */
export type HttpAuth =
  | { readonly secret: string; readonly scheme?: "bearer" | "basic" }
  | { readonly secret: string; readonly header: string };

const headerOf = (auth: HttpAuth): string => ("header" in auth ? auth.header : "authorization");

const written = (auth: HttpAuth, secret: string): string => {
  if ("header" in auth) return secret;
  return auth.scheme === "basic" ? `Basic ${Buffer.from(secret).toString("base64")}` : `Bearer ${secret}`;
};

export const checkAuth = (auth: HttpAuth): void => {
  const reason =
    typeof auth.secret === "string" && auth.secret !== ""
      ? refuseHeader(headerOf(auth), "")
      : "`auth.secret` is the name of a secret";
  if (reason !== undefined)
    throw new ToolDefinitionError("invalid_definition", `The auth of an HTTP tool: ${reason}.`);
};

/** Puts the secret into the headers, over whatever a mapping put there. */
export const authorize = (
  auth: HttpAuth,
  headers: Headers,
): Effect.Effect<void, CredentialsError, Credentials> =>
  Effect.gen(function* () {
    const { secret } = yield* Credentials;
    const value = written(auth, Redacted.value(yield* secret(auth.secret)).trim());
    if (refuseHeader(headerOf(auth), value) !== undefined) {
      const name = JSON.stringify(auth.secret);
      const message = `The secret ${name} cannot be sent: it holds a line break or characters outside of HTTP.`;
      return yield* Effect.fail(new CredentialsError("secret_missing", message));
    }
    headers.set(headerOf(auth), value);
  });
