import * as Effect from "effect/Effect";
import { checkFields } from "../json/check-fields.ts";
import type { AuthorizedCall } from "../words/call.ts";
import type { Handler, ToolLayer } from "../words/layer.ts";
import { failed, type Outcome } from "../words/outcome.ts";
import { readCount } from "./read-option.ts";
import { ConcurrencyLimit } from "./waiting/concurrency-limit.ts";
import { type RateText, readRate } from "./waiting/rate.ts";

/** How many calls the `limit` layer lets through at once and over time. */
export interface LimitOptions {
  /** Calls in flight at once. Unlimited unless named. */
  readonly concurrency?: number;
  /** Calls started in any second, minute or hour. Unlimited unless named. */
  readonly rate?: RateText;
  /** Calls that may wait for their turn; one more is answered `overloaded` at once. 1,000 unless named. */
  readonly queue?: number;
}

/** Bounds the calls that go through this value, wherever it stands. Callers take turns to wait. */
export const limit = (options: LimitOptions = {}): ToolLayer => {
  checkFields("limit", options, ["concurrency", "rate", "queue"]);
  const limiter = new ConcurrencyLimit(
    options.concurrency === undefined
      ? Number.POSITIVE_INFINITY
      : readCount("limit concurrency", options.concurrency, 1),
    options.rate === undefined ? undefined : readRate(options.rate),
    readCount("limit queue", options.queue ?? 1_000, 0),
  );

  const wrap =
    (next: Handler): Handler =>
    (call) => {
      let inside = false;
      // The way out is laid before the way in: whatever ends the call, a place taken is given back.
      return Effect.onExitPrimitive(
        Effect.withFiber((fiber) => {
          const { request } = call;
          // The same value at two scopes asks once, or calls that hold a place would wait for one.
          if (limiter.isInside(request)) return next(call);
          if (limiter.tryEnter(request, fiber)) {
            inside = true;
            return next(call);
          }
          return Effect.callback<Outcome>((resume) => {
            const leaveQueue = limiter.queue(laneOf(call), fiber, {
              admit: () => {
                inside = true;
                limiter.enter(request, fiber);
                resume(Effect.suspend(() => next(call)));
              },
              refuse: (retryAfterMs) => resume(Effect.succeed(overloaded(call, retryAfterMs))),
            });
            return Effect.sync(leaveQueue);
          });
        }),
        () => {
          if (inside) {
            inside = false;
            limiter.leave(call.request);
          }
          return undefined;
        },
      );
    };

  return Object.assign(wrap, { label: "limit", runsNoCode: true });
};

const laneOf = ({ principal }: AuthorizedCall): string =>
  `${principal.agent}\u0000${principal.session ?? ""}`;

const overloaded = (call: AuthorizedCall, retryAfterMs: number | undefined): Outcome => {
  const when = retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1_000)} s`;
  return failed({
    code: "overloaded",
    tool: call.registration.key,
    message: `Too many calls wait for "${call.registration.key}" already. Try again ${when}, or with fewer calls at once.`,
    ran: false,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};
