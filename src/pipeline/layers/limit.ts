import * as Effect from "effect/Effect";
import { checkFields } from "../../base/json/check-fields.ts";
import type { Handler, ToolLayer } from "../../types/layer.ts";
import type { Outcome } from "../../types/outcome.ts";
import { createFleetLimitLayer } from "./fleet-limit-layer.ts";
import { overloadedOutcome, queueLaneOf } from "./overloaded.ts";
import { readCount, readFleetScopeName } from "./read-option.ts";
import { ConcurrencyLimit } from "./waiting/concurrency-limit.ts";
import { type RateText, readRate } from "./waiting/rate-window.ts";

/** How many calls the `limit` layer lets through at once and over time. */
export interface LimitOptions {
  /** Calls in flight at once. Unlimited unless named. */
  readonly concurrency?: number;
  /** Calls started in any second, minute or hour. Unlimited unless named. */
  readonly rate?: RateText;
  /** Calls that may wait for their turn; one more is answered `overloaded` at once. 1,000 unless named. */
  readonly queue?: number;
  /** `fleet` counts the calls of all processes of a fleet together. This process alone unless named. */
  readonly scope?: "process" | "fleet";
  /** Of a limit across a fleet: the same name is the same limit. */
  readonly name?: string;
}

/**
 * Bounds the calls that go through this value, wherever it stands; across a fleet, those through every limit of the same
 * name. Callers take turns to wait.
 */
export const limit = (options: LimitOptions = {}): ToolLayer => {
  checkFields("limit", options, ["concurrency", "rate", "queue", "scope", "name"]);
  const name = readFleetScopeName("limit", options);
  const concurrency =
    options.concurrency === undefined ? undefined : readCount("limit concurrency", options.concurrency, 1);
  const rate = options.rate === undefined ? undefined : readRate(options.rate);
  const queue = readCount("limit queue", options.queue ?? 1_000, 0);
  if (name !== undefined) {
    const shared = createFleetLimitLayer({ name, rate, concurrency }, queue);
    return Object.assign(shared, { label: "limit", runsNoCode: true });
  }
  const limiter = new ConcurrencyLimit(concurrency ?? Number.POSITIVE_INFINITY, rate, queue);

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
            const leaveQueue = limiter.queue(queueLaneOf(call), fiber, {
              admit: () => {
                inside = true;
                limiter.enter(request, fiber);
                resume(Effect.suspend(() => next(call)));
              },
              refuse: (retryAfterMs) => resume(Effect.succeed(overloadedOutcome(call, retryAfterMs))),
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
