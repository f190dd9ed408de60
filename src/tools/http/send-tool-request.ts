import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { Credentials } from "../../base/credentials/credentials.ts";
import type { OutboundToken } from "../../base/credentials/token.ts";
import { headerProblem } from "../../base/http/headers.ts";
import { HttpEgress, type HttpEgressResponse } from "../../base/http/http-egress.ts";
import { TraceHeaders } from "../../base/http/trace-headers.ts";
import { redactor } from "../../base/json/redact.ts";
import { passwordOf } from "../../base/json/secrets/form-index.ts";
import type { CallContext } from "../../types/call.ts";
import { CredentialsError, ToolError, toError } from "../../types/errors.ts";
import { isIdempotent, type ToolSpec } from "../../types/tool.ts";
import { type PlannedRequest, type RequestPlan, requestPlan } from "./plan-request.ts";
import {
  authsOf,
  type HttpAuth,
  headerOf,
  isOAuth,
  type RequestOptions,
  type SecretAuth,
} from "./request-options.ts";
import {
  decodeResponse,
  type HttpResponse,
  httpResponse,
  isSuccessStatus,
  statusError,
  tokenRejectedError,
  tokenRenewedError,
} from "./status-error.ts";
import { encodeStrictly } from "./styles.ts";

export interface SendOptions {
  readonly request: RequestOptions<never>;
  readonly spec: ToolSpec;
  readonly auth?: HttpAuth | readonly HttpAuth[];
  readonly response?: (response: HttpResponse) => unknown;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

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
const authorizeRequest = Effect.fnUntraced(function* (
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

export const sendToolRequest = Effect.fnUntraced(function* (
  options: SendOptions,
  input: unknown,
  context: CallContext,
) {
  const { auth, spec, response: map = decodeResponse, timeoutMs, maxBytes } = options;
  const planned = planOf(options.request)(input);
  if (planned instanceof ToolError) return yield* Effect.fail(markNotSent(planned));
  const { method, headers } = planned;
  const asks = method === "GET" || method === "HEAD" || method === "OPTIONS";
  const needsKey = !asks && !headers.has("idempotency-key");
  if (needsKey) headers.set("idempotency-key", context.idempotencyKey);
  yield* addTrace(headers);
  const credentials = yield* Credentials;
  let url = planned.url;
  let oauth: { readonly credential: string; readonly token: OutboundToken } | undefined;
  for (const each of authsOf(auth)) {
    const authorized = yield* Effect.mapError(authorizeRequest(each, { url, headers }, context), markNotSent);
    url = authorized.url;
    if (isOAuth(each) && authorized.token !== undefined)
      oauth = { credential: each.credential, token: authorized.token };
  }
  const egress = yield* HttpEgress;
  const request = Effect.suspend(() =>
    egress.request({
      url,
      method,
      headers: Object.fromEntries(headers),
      idempotent: isIdempotent(spec),
      ...(planned.body === undefined ? {} : { body: planned.body }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    }),
  );
  let response = yield* request;
  // A redirect to another origin gets no token.
  const isRefused = ({ status, url }: HttpEgressResponse): boolean =>
    status === 401 && new URL(url).origin === new URL(planned.url).origin;
  if (oauth !== undefined && isRefused(response)) {
    const { credential, token } = oauth;
    const renewing = credentials.renew(credential, token, context.principal);
    // A request was already sent.
    setBearerToken(headers, yield* Effect.mapError(renewing, markSent));
    if (!asks && !isIdempotent(spec)) {
      return yield* Effect.fail(tokenRenewedError(credential, method, response.url));
    }
    response = yield* request;
    if (isRefused(response)) return yield* Effect.fail(tokenRejectedError(credential, method, response.url));
  }
  const masking = () => redactor({ secrets: credentials.known });
  if (!isSuccessStatus(response.status)) {
    const now = yield* Clock.currentTimeMillis;
    return yield* Effect.fail(statusError(response, { method, now, redactor: masking() }));
  }
  return yield* mapResponse(map, httpResponse(response, masking));
});

const plans = new WeakMap<RequestOptions<never>, RequestPlan>();

/** Keeps definitions cheap. */
const planOf = (request: RequestOptions<never>): RequestPlan => {
  const plan = plans.get(request) ?? requestPlan(request);
  plans.set(request, plan);
  return plan;
};

const markNotSent = (error: ToolError): ToolError => toError({ ...error.failure, ran: false });

const markSent = (error: ToolError): ToolError =>
  error.failure.ran === true ? error : toError({ ...error.failure, ran: true, claimsNotRun: true });

/** Other exceptions of a mapping are defects. */
const mapResponse = (
  map: (response: HttpResponse) => unknown,
  response: HttpResponse,
): Effect.Effect<unknown, ToolError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(map(response));
    } catch (error) {
      return ToolError.is(error) ? Effect.fail(error) : Effect.die(error);
    }
  });

/** Headers of the tool win, and a failing tracer is ignored. */
const addTrace = (headers: Headers): Effect.Effect<void> =>
  Effect.map(TraceHeaders, (traceHeaders) => {
    try {
      for (const [name, value] of Object.entries(traceHeaders())) {
        if (headerProblem(name, value) === undefined && !headers.has(name)) headers.set(name, value);
      }
    } catch {}
  });
