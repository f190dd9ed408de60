import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { redactor } from "../../json/redact.ts";
import { Credentials } from "../../outside/credentials.ts";
import { Outside } from "../../outside/outside.ts";
import type { CallContext } from "../../words/call.ts";
import { ToolError } from "../../words/errors.ts";
import { authorize, type HttpAuth } from "./auth.ts";
import type { RequestPlan } from "./request.ts";
import { decode, type HttpResponse, httpResponse } from "./response.ts";
import { isGood, statusError } from "./status.ts";

/** What one tool sends, and what it makes of the answer. */
export interface Sending {
  readonly plan: RequestPlan;
  readonly auth?: HttpAuth;
  readonly response?: (response: HttpResponse) => unknown;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export const send = Effect.fnUntraced(function* (sending: Sending, input: unknown, context: CallContext) {
  const { plan, auth, response: map = decode, timeoutMs, maxBytes } = sending;
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
