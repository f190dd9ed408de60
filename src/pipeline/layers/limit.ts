import * as Effect from "effect/Effect";
import { checkFields } from "../../base/json/check-fields.ts";
import type { Handler, ToolLayer } from "../../types/layer.ts";
import type { Outcome } from "../../types/outcome.ts";
import { createFleetLimitLayer } from "./fleet-limit-layer.ts";
import { overloadedOutcome, queueLaneOf } from "./overloaded.ts";
import { readCount, readFleetScopeName } from "./read-option.ts";
import { ConcurrencyLimit } from "./waiting/concurrency-limit.ts";
import { type RateText, readRate } from "./waiting/rate-window.ts";

/** Options of the `limit` layer. */
export interface LimitOptions {
  /** Maximum number of running calls. Unless set: unlimited. */
  readonly concurrency?: number;
  /** Maximum number of starts in any second, minute or hour. Unless set: unlimited. */
  readonly rate?: RateText;
  /** Maximum number of waiting calls; further ones fail with `overloaded`. Unless set: 1,000. */
  readonly queue?: number;
  /** `fleet` counts the calls of all processes. Unless set: `process`. */
  readonly scope?: "process" | "fleet";
  /** Identifies a fleet limit across processes. */
  readonly name?: string;
}

/**
 * Limits the calls through this layer, or through all fleet limits of the same name. Callers share the queue
 * fairly.
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
      // Registers the finalizer first, so that a place is always released.
      return Effect.onExitPrimitive(
        Effect.withFiber((fiber) => {
          const { request } = call;
          // A limit used at two scopes takes one place per call; otherwise a call would wait for itself.
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
