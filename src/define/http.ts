import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { redactor } from "../json/redact.ts";
import { Credentials } from "../outside/credentials.ts";
import { Outside } from "../outside/outside.ts";
import type { CallContext } from "../words/call.ts";
import { ToolError } from "../words/errors.ts";
import type { Implementation } from "../words/tool.ts";
import { authorize, checkAuth, type HttpAuth } from "./http/auth.ts";
import { type RequestOptions, type RequestPlan, requestPlan } from "./http/request.ts";
import { decode, type HttpResponse, httpResponse } from "./http/response.ts";
import { isGood, statusError } from "./http/status.ts";

export interface HttpOptions<In = Readonly<Record<string, unknown>>> extends RequestOptions<In> {
  readonly auth?: HttpAuth;
  /** Only sees answers with a good status. Left out: JSON by content type, or text. */
  readonly response?: (response: HttpResponse) => unknown;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** A tool that is a request to a web service, sent by the guarded client. */
export const http = <In = Readonly<Record<string, unknown>>>(
  options: HttpOptions<In>,
): Implementation<Outside | Credentials> => {
  const plan = requestPlan(options);
  if (options.auth !== undefined) checkAuth(options.auth);
  const settings: Settings = { ...options, plan };
  return Object.freeze({
    _tag: "http",
    bind: () => (input: unknown, context: CallContext) => send(settings, input, context),
  });
};

interface Settings extends Pick<HttpOptions, "auth" | "response" | "timeoutMs" | "maxBytes"> {
  readonly plan: RequestPlan;
}

const send = Effect.fnUntraced(function* (settings: Settings, input: unknown, context: CallContext) {
  const { plan, auth, response: map = decode, timeoutMs, maxBytes } = settings;
  const planned = plan(input);
  if (planned instanceof ToolError) return yield* Effect.fail(planned);
  const { method, headers } = planned;
  const needsKey = method !== "GET" && !headers.has("idempotency-key");
  if (needsKey) headers.set("idempotency-key", context.idempotencyKey);
  const credentials = yield* Credentials;
  if (auth !== undefined) yield* authorize(auth, headers);
  const outside = yield* Outside;
  const response = yield* outside.request({
    url: planned.url,
    method,
    headers: Object.fromEntries(headers),
    ...(planned.body === undefined ? {} : { body: planned.body }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const masking = () => redactor({ secrets: credentials.known });
  if (!isGood(response.status)) {
    const now = yield* Clock.currentTimeMillis;
    return yield* Effect.fail(statusError(response, { method, now, redactor: masking() }));
  }
  return yield* mapped(map, httpResponse(response, masking));
});

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
