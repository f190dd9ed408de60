import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { Credentials } from "../../credentials/credentials.ts";
import type { OutboundToken } from "../../credentials/token.ts";
import { refuseHeader } from "../../http/headers.ts";
import { Outside, type OutsideResponse } from "../../http/outside.ts";
import { TraceHeaders } from "../../http/trace-headers.ts";
import { redactor } from "../../json/redact.ts";
import type { CallContext } from "../../words/call.ts";
import { ToolError, toError } from "../../words/errors.ts";
import { isIdempotent, type ToolSpec } from "../../words/spec.ts";
import { authsOf, type HttpAuth, isOAuth } from "./auth.ts";
import { authorize, bearer } from "./authorize.ts";
import { type RequestPlan, requestPlan } from "./plan-request.ts";
import type { RequestOptions } from "./request.ts";
import { decode, type HttpResponse, httpResponse } from "./response.ts";
import { isGood, statusError, tokenRefused, tokenRenewed } from "./status.ts";

/** What one tool sends, and what it makes of the answer. */
export interface Sending {
  readonly request: RequestOptions<never>;
  readonly spec: ToolSpec;
  readonly auth?: HttpAuth | readonly HttpAuth[];
  readonly response?: (response: HttpResponse) => unknown;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export const send = Effect.fnUntraced(function* (sending: Sending, input: unknown, context: CallContext) {
  const { auth, spec, response: map = decode, timeoutMs, maxBytes } = sending;
  const planned = planOf(sending.request)(input);
  if (planned instanceof ToolError) return yield* Effect.fail(planned);
  const { method, headers } = planned;
  const asks = method === "GET" || method === "HEAD" || method === "OPTIONS";
  const needsKey = !asks && !headers.has("idempotency-key");
  if (needsKey) headers.set("idempotency-key", context.idempotencyKey);
  yield* addTrace(headers);
  const credentials = yield* Credentials;
  let url = planned.url;
  let oauth: { readonly credential: string; readonly token: OutboundToken } | undefined;
  for (const each of authsOf(auth)) {
    const authorized = yield* authorize(each, { url, headers }, context);
    url = authorized.url;
    if (isOAuth(each) && authorized.token !== undefined)
      oauth = { credential: each.credential, token: authorized.token };
  }
  const outside = yield* Outside;
  const request = Effect.suspend(() =>
    outside.request({
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
  // A redirect elsewhere got no token, so its refusal says nothing about it.
  const isRefused = ({ status, url }: OutsideResponse): boolean =>
    status === 401 && new URL(url).origin === new URL(planned.url).origin;
  if (oauth !== undefined && isRefused(response)) {
    const { credential, token } = oauth;
    const renewing = credentials.renew(credential, token, context.principal);
    // No token to be had is found out after the request was sent.
    bearer(headers, yield* Effect.mapError(renewing, asSent));
    if (!asks && !isIdempotent(spec)) {
      return yield* Effect.fail(tokenRenewed(credential, method, response.url));
    }
    response = yield* request;
    if (isRefused(response)) return yield* Effect.fail(tokenRefused(credential, method, response.url));
  }
  const masking = () => redactor({ secrets: credentials.known });
  if (!isGood(response.status)) {
    const now = yield* Clock.currentTimeMillis;
    return yield* Effect.fail(statusError(response, { method, now, redactor: masking() }));
  }
  return yield* mapped(map, httpResponse(response, masking));
});

const plans = new WeakMap<RequestOptions<never>, RequestPlan>();

/** A tool's plan is made by its first request: a definition needs none of it. */
const planOf = (request: RequestOptions<never>): RequestPlan => {
  const plan = plans.get(request) ?? requestPlan(request);
  plans.set(request, plan);
  return plan;
};

const asSent = (error: ToolError): ToolError =>
  error.failure.ran === true ? error : toError({ ...error.failure, ran: true, claimsNotRun: true });

/** An unreadable answer is a failure of the tool; a mapping that throws anything else is broken. */
const mapped = (
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

/** Ties the request to the trace of its call. What the tool set stays, and a broken tracer is no reason to fail. */
const addTrace = (headers: Headers): Effect.Effect<void> =>
  Effect.map(TraceHeaders, (traceHeaders) => {
    try {
      for (const [name, value] of Object.entries(traceHeaders())) {
        if (refuseHeader(name, value) === undefined && !headers.has(name)) headers.set(name, value);
      }
    } catch {}
  });
