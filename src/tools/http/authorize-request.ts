import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { Credentials } from "../../base/credentials/credentials.ts";
import type { OutboundToken } from "../../base/credentials/token.ts";
import { headerProblem } from "../../base/http/headers.ts";
import { passwordOf } from "../../base/json/secrets/header-secrets.ts";
import type { CallContext } from "../../types/call.ts";
import { CredentialsError } from "../../types/errors.ts";
import { type HttpAuth, headerOf, isOAuth, type SecretAuth } from "./http-auth.ts";
import type { PlannedRequest } from "./plan-request.ts";
import { encodeStrictly } from "./styles.ts";

const addSecret = (auth: SecretAuth, secret: string, headers: Headers): string => {
  if ("header" in auth) return secret;
  if ("cookie" in auth) {
    const others = (headers.get("cookie") ?? "")
      .split(";")
      .map((each) => each.trim())
      .filter((each) => each !== "" && each.split("=", 1)[0]!.trim() !== auth.cookie);
    return [...others, `${auth.cookie}=${encodeStrictly(secret)}`].join("; ");
  }
  return "scheme" in auth && auth.scheme === "basic"
    ? `Basic ${Buffer.from(secret).toString("base64")}`
    : `Bearer ${secret}`;
};

/** Only tokens that were issued for this caller. */
export const setBearerToken = (headers: Headers, token: OutboundToken): void =>
  headers.set("authorization", `Bearer ${Redacted.value(token)}`);

const withQuery = (text: string, name: string, secret: string): string => {
  const url = new URL(text);
  const key = `${encodeStrictly(name)}=`;
  const others = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !pair.startsWith(key));
  url.search = [...others, key + encodeStrictly(secret)].join("&");
  return url.href;
};

interface AuthorizedUrl {
  readonly url: string;
  /** For renewal if the service refuses it. */
  readonly token?: OutboundToken;
}

/** Replaces what a mapping set. */
export const authorizeRequest = Effect.fnUntraced(function* (
  auth: HttpAuth,
  { url, headers }: Pick<PlannedRequest, "url" | "headers">,
  { principal }: CallContext,
) {
  const { secret, token, learn } = yield* Credentials;
  if (isOAuth(auth)) {
    const given = yield* token(auth.credential, principal);
    setBearerToken(headers, given);
    return { url, token: given } as AuthorizedUrl;
  }
  const given = Redacted.value(yield* secret(auth.secret)).trim();
  // The service may echo the password alone, so it is masked separately.
  const password = "scheme" in auth && auth.scheme === "basic" ? passwordOf(given) : undefined;
  if (password !== undefined) learn(password);
  if ("query" in auth) {
    // The service may echo the encoded secret.
    learn(encodeStrictly(given));
    return { url: withQuery(url, auth.query, given) } as AuthorizedUrl;
  }
  if ("cookie" in auth) learn(encodeStrictly(given));
  const value = addSecret(auth, given, headers);
  if (headerProblem(headerOf(auth), value) !== undefined) {
    const name = JSON.stringify(auth.secret);
    const message = `The secret ${name} cannot be sent: it contains a line break or characters that HTTP does not allow.`;
    return yield* Effect.fail(new CredentialsError("secret_missing", message));
  }
  headers.set(headerOf(auth), value);
  return { url } as AuthorizedUrl;
});
