import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { CredentialsError } from "../../../types/errors.ts";
import type { HttpEgressClient, HttpEgressResponse, RequestError } from "../../http/http-egress.ts";
import { readJson } from "../../json/read-json.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import { rejectedByServiceError, serviceUnavailableError } from "./credential-errors.ts";
import type { OAuthCredential } from "./oauth-credential.ts";

export interface TokenGrant {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly lifeMs?: number;
}

export const invalidGrant: unique symbol = Symbol("invalid_grant");

export interface TokenRequest {
  readonly name: string;
  readonly credential: OAuthCredential;
  readonly tokenUrl: string;
  readonly form: Readonly<Record<string, string>>;
}

interface TokenRequestServices {
  readonly client: HttpEgressClient;
  readonly secret: SecretResolver;
  readonly known: KnownSecrets;
}

const tokenRequestLimits = { timeoutMs: 20_000, maxBytes: 256 * 1024, redirects: 0 };
const maxLifetimeMs = 10 * 365 * 24 * 3_600_000;

/** RFC 6749 section 2.3.1. */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

const isTokenText = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 16_384 && /^[\x21-\x7e]+$/.test(value);

const readLifetime = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" && seconds >= 0 ? Math.min(seconds * 1000, maxLifetimeMs) : undefined;
};

const readResponseBody = ({ body }: HttpEgressResponse): Readonly<Record<string, unknown>> => {
  const reading = readJson(new TextDecoder().decode(body), { maxLength: tokenRequestLimits.maxBytes });
  return reading.ok && typeof reading.value === "object" && reading.value !== null
    ? (reading.value as Record<string, unknown>)
    : {};
};

const toTokenGrant = (name: string, response: HttpEgressResponse): TokenGrant | CredentialsError => {
  const { access_token, refresh_token, token_type, expires_in } = readResponseBody(response);
  if (!isTokenText(access_token))
    return rejectedByServiceError(name, "returned a response without a readable token");
  if (token_type !== undefined && String(token_type).toLowerCase() !== "bearer")
    return rejectedByServiceError(name, "returned a token of another type than Bearer");
  const lifeMs = readLifetime(expires_in);
  return {
    accessToken: access_token,
    ...(isTokenText(refresh_token) ? { refreshToken: refresh_token } : {}),
    ...(lifeMs === undefined ? {} : { lifeMs }),
  };
};

const oauthErrorCodes: ReadonlySet<unknown> = new Set([
  "access_denied",
  "interaction_required",
  "invalid_client",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** Omits the response text, because some servers quote the token that they refuse. */
const toRejection = (name: string, response: HttpEgressResponse): CredentialsError | typeof invalidGrant => {
  const { status } = response;
  const { error } = readResponseBody(response);
  if (status === 429 || status >= 500) return serviceUnavailableError(name, `answered ${status}`);
  if (error === "invalid_grant") return invalidGrant;
  return rejectedByServiceError(
    name,
    `answered ${status}${oauthErrorCodes.has(error) ? ` and the error ${error}` : ""}`,
  );
};

const toUnavailableError = (name: string, error: RequestError): CredentialsError => {
  const what = `did not respond: ${error.message.replace(/\.$/, "")}`;
  return error.retryable ? serviceUnavailableError(name, what) : rejectedByServiceError(name, what);
};

/** Redirects are not followed, so that credentials reach only this URL. */
export const requestToken = Effect.fnUntraced(function* (
  { name, credential, tokenUrl, form }: TokenRequest,
  { client, secret, known }: TokenRequestServices,
) {
  const { clientId, clientSecret, clientAuth = "basic", resource = [], audience } = credential;
  const fields = new URLSearchParams(form);
  for (const one of [resource].flat()) fields.append("resource", one);
  if (audience !== undefined) fields.set("audience", audience);
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  const proof = clientSecret === undefined ? undefined : Redacted.value(yield* secret(clientSecret));
  if (proof === undefined || clientAuth === "form") fields.set("client_id", clientId);
  if (proof !== undefined && clientAuth === "form") fields.set("client_secret", proof);
  if (proof !== undefined && clientAuth === "basic") {
    const basic = Buffer.from(`${formEncoded(clientId)}:${formEncoded(proof)}`).toString("base64");
    known.add(basic);
    headers.authorization = `Basic ${basic}`;
  }
  const response = yield* Effect.mapError(
    client.request({
      url: tokenUrl,
      method: "POST",
      headers,
      body: fields.toString(),
      ...tokenRequestLimits,
    }),
    (error) => toUnavailableError(name, error),
  );
  const isGood = response.status >= 200 && response.status < 300;
  const read = isGood ? toTokenGrant(name, response) : toRejection(name, response);
  if (typeof read === "symbol" || "failure" in read) return yield* Effect.fail(read);
  known.add(read.accessToken);
  if (read.refreshToken !== undefined) known.add(read.refreshToken);
  return read;
});
