import * as Effect from "effect/Effect";
import type { CredentialsError } from "../../../types/errors.ts";
import type { HttpEgressClient, HttpEgressResponse, RequestError } from "../../http/http-egress.ts";
import { isObject } from "../../json/json-value.ts";
import { readJson } from "../../json/read-json.ts";
import type { KnownSecrets } from "../credentials.ts";
import { authRejectedError, authUnavailableError } from "./credential-errors.ts";

export interface TokenGrant {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** When the token was requested: the service does not say when its lifetime begins. */
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

/** An OAuth error of the token endpoint that another attempt cannot change. */
export interface TokenRefusal {
  readonly _tag: "TokenRefusal";
  readonly status: number;
  readonly code: string;
}

/** Proof of possession of a key (DPoP, RFC 9449). */
export interface KeyProof {
  readonly buildProof: (request: { readonly htm: "POST"; readonly htu: string }) => Promise<string>;
  readonly observeNonce: (response: Response, tokenUrl: string) => void;
}

export interface ClientAuthentication {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly method: "basic" | "form";
}

export interface TokenRequest {
  /** As messages name it. */
  readonly service: string;
  readonly tokenUrl: string;
  readonly form: URLSearchParams;
  readonly authentication: ClientAuthentication;
  readonly proof?: KeyProof | undefined;
}

interface TokenRequestServices {
  readonly client: HttpEgressClient;
  readonly known: Pick<KnownSecrets, "add">;
  readonly now: number;
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

interface TokenResponse {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

const readResponse = ({ status, body }: HttpEgressResponse): TokenResponse => {
  const reading = readJson(new TextDecoder().decode(body), { maxLength: tokenRequestLimits.maxBytes });
  return { status, fields: reading.ok && isObject(reading.value) ? reading.value : {} };
};

const toTokenGrant = (
  { service, proof }: TokenRequest,
  { access_token, refresh_token, token_type = "Bearer", expires_in, scope }: TokenResponse["fields"],
  now: number,
): TokenGrant | CredentialsError => {
  if (!isTokenText(access_token))
    return authRejectedError(service, "returned a response without a readable token");
  const type = String(token_type).toLowerCase();
  if (type !== "bearer" && (proof === undefined || type !== "dpop"))
    return authRejectedError(service, "returned a token of another type than Bearer");
  const lifeMs = readLifetime(expires_in);
  return {
    accessToken: access_token,
    tokenType: type === "dpop" ? "DPoP" : "Bearer",
    ...(isTokenText(refresh_token) ? { refreshToken: refresh_token } : {}),
    ...(typeof scope === "string" ? { scope } : {}),
    issuedAt: now,
    ...(lifeMs === undefined ? {} : { expiresAt: now + lifeMs }),
  };
};

const shownErrorCodes: ReadonlySet<string> = new Set([
  "access_denied",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "login_required",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** Omits the response text, because some servers quote the token that they refuse. */
export const tokenRefusedError = (service: string, { status, code }: TokenRefusal): CredentialsError =>
  authRejectedError(
    service,
    `answered ${status}${shownErrorCodes.has(code) ? ` and the error ${code}` : ""}`,
  );

const toRefusal = (
  service: string,
  { status, fields: { error } }: TokenResponse,
): CredentialsError | TokenRefusal => {
  if (status === 429 || status >= 500 || error === "server_error" || error === "temporarily_unavailable")
    return authUnavailableError(service, `answered ${status}`);
  return typeof error === "string"
    ? { _tag: "TokenRefusal", status, code: error }
    : authRejectedError(service, `answered ${status}`);
};

const toUnavailableError = (service: string, error: RequestError): CredentialsError => {
  const what = `did not respond: ${error.message.replace(/\.$/, "")}`;
  return error.retryable ? authUnavailableError(service, what) : authRejectedError(service, what);
};

const authenticate = (
  { clientId, clientSecret, method }: ClientAuthentication,
  form: URLSearchParams,
): string | undefined => {
  if (clientSecret !== undefined && method === "basic")
    return Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString("base64");
  form.set("client_id", clientId);
  if (clientSecret !== undefined) form.set("client_secret", clientSecret);
  return undefined;
};

const sendTokenRequest = Effect.fnUntraced(function* (
  { service, tokenUrl, form, authentication, proof }: TokenRequest,
  { client, known }: TokenRequestServices,
) {
  const fields = new URLSearchParams(form);
  const basic = authenticate(authentication, fields);
  if (basic !== undefined) known.add(basic);
  const dpop = proof && (yield* Effect.promise(() => proof.buildProof({ htm: "POST", htu: tokenUrl })));
  const headers = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
    ...(dpop === undefined ? {} : { dpop }),
  };
  const response = yield* Effect.mapError(
    client.request({
      url: tokenUrl,
      method: "POST",
      headers,
      body: fields.toString(),
      ...tokenRequestLimits,
    }),
    (error) => toUnavailableError(service, error),
  );
  proof?.observeNonce(new Response(null, { headers: response.headers }), tokenUrl);
  return readResponse(response);
});

/** Redirects are not followed, so that credentials reach only this URL. */
export const requestToken = Effect.fnUntraced(function* (
  request: TokenRequest,
  services: TokenRequestServices,
) {
  const first = yield* sendTokenRequest(request, services);
  const needsNonce = request.proof !== undefined && first.fields.error === "use_dpop_nonce";
  const response = needsNonce ? yield* sendTokenRequest(request, services) : first;
  const { status, fields } = response;
  // Some services answer errors with the status 200.
  const isGood = status >= 200 && status < 300 && typeof fields.error !== "string";
  const read = isGood ? toTokenGrant(request, fields, services.now) : toRefusal(request.service, response);
  if (!("accessToken" in read)) return yield* Effect.fail(read);
  services.known.add(read.accessToken);
  if (read.refreshToken !== undefined) services.known.add(read.refreshToken);
  return read;
});
