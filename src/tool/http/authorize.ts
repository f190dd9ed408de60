import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { Credentials } from "../../credentials/credentials.ts";
import type { OutboundToken } from "../../credentials/token.ts";
import { refuseHeader } from "../../http/headers.ts";
import { passwordOf } from "../../json/secrets/header-secrets.ts";
import type { CallContext } from "../../words/call.ts";
import { CredentialsError } from "../../words/errors.ts";
import { type HttpAuth, headerOf, isOAuth, type SecretAuth } from "./auth.ts";

const written = (auth: SecretAuth, secret: string): string => {
  if ("header" in auth) return secret;
  return auth.scheme === "basic" ? `Basic ${Buffer.from(secret).toString("base64")}` : `Bearer ${secret}`;
};

/** Takes nothing but a token that was given to us for this caller. */
export const bearer = (headers: Headers, token: OutboundToken): void =>
  headers.set("authorization", `Bearer ${Redacted.value(token)}`);

/** Puts the secret, or the caller's token, into the headers, over whatever a mapping put there. */
export const authorize = Effect.fnUntraced(function* (
  auth: HttpAuth,
  headers: Headers,
  { principal }: CallContext,
) {
  const { secret, token, learn } = yield* Credentials;
  if (isOAuth(auth)) {
    const given = yield* token(auth.credential, principal);
    bearer(headers, given);
    return given;
  }
  const given = Redacted.value(yield* secret(auth.secret)).trim();
  // A service that is told `user:password` may repeat the password alone.
  const password = "scheme" in auth && auth.scheme === "basic" ? passwordOf(given) : undefined;
  if (password !== undefined) learn(password);
  const value = written(auth, given);
  if (refuseHeader(headerOf(auth), value) !== undefined) {
    const name = JSON.stringify(auth.secret);
    const message = `The secret ${name} cannot be sent: it holds a line break or characters outside of HTTP.`;
    return yield* Effect.fail(new CredentialsError("secret_missing", message));
  }
  headers.set(headerOf(auth), value);
  return undefined;
});
