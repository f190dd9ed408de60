import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { CallRequest } from "../words/call.ts";
import type { Handler, ToolLayer } from "../words/layer.ts";
import { type SharedBreaker, SharedLimits } from "../words/shared-limits.ts";
import { circuitOpen, judge } from "./circuit.ts";
import { noFleet } from "./fleet-limited.ts";

export interface FleetBreakerOptions {
  readonly name: string;
  /** Failures in a row, in one process. */
  readonly allowed: number;
  /** In milliseconds. */
  readonly cooldown: number;
}

/** What this process knows of one tool. */
interface Knowledge {
  failures: number;
  readAt: number;
  closedUntil: number;
  closedBy: number;
}

/** What others learned is asked for at most so often, in milliseconds. */
const readMs = 1_000;
const nothingKnown: SharedBreaker = { closedInMs: 0, failures: 0, mayTest: false };

/** Opens for all processes once one of them has met enough failures, and closes for all once one test went well. */
export const fleetBreaker = ({ name, allowed, cooldown }: FleetBreakerOptions): ToolLayer => {
  const known = new Map<string, Knowledge>();
  const inside = new Set<CallRequest>();
  const knowledgeOf = (tool: string): Knowledge => {
    const one = known.get(tool) ?? {
      failures: 0,
      readAt: Number.NEGATIVE_INFINITY,
      closedUntil: 0,
      closedBy: 0,
    };
    known.set(tool, one);
    return one;
  };

  const wrap =
    (next: Handler): Handler =>
    (call) =>
      Effect.withFiber((fiber) => {
        const { request, registration } = call;
        const store = fiber.getRef(SharedLimits);
        if (store === undefined) return Effect.succeed(noFleet(call, "breaker"));
        // The same value at two scopes counts a call once.
        if (inside.has(request)) return next(call);
        const clock = fiber.getRef(Clock.Clock);
        const row = `${name}/${registration.key}`;
        const own = knowledgeOf(registration.key);
        const started = clock.currentTimeMillisUnsafe();
        if (own.closedUntil > started) {
          return Effect.succeed(circuitOpen(call, own.closedBy, own.closedUntil - started));
        }
        const isFresh = started - own.readAt < readMs && started >= own.readAt;
        // What cannot be read was not learned: this process still counts for itself.
        const read = isFresh
          ? Effect.succeed(nothingKnown)
          : Effect.catch(store.readBreaker(row, { withinMs: cooldown }), () => Effect.succeed(nothingKnown));
        const go = (shared: SharedBreaker) => {
          const now = clock.currentTimeMillisUnsafe();
          if (!isFresh) own.readAt = now;
          if (shared.closedInMs > 0) {
            own.closedUntil = now + shared.closedInMs;
            own.closedBy = shared.failures;
            return Effect.succeed(circuitOpen(call, shared.failures, shared.closedInMs));
          }
          inside.add(request);
          return Effect.onExit(next(call), (exit) => {
            inside.delete(request);
            const verdict = judge(exit);
            if (verdict === "unknown") return Effect.void;
            if (verdict === "well") {
              own.failures = 0;
              return shared.mayTest ? Effect.ignore(store.closeBreaker(row)) : Effect.void;
            }
            own.failures++;
            const failures = Math.max(own.failures, shared.mayTest ? shared.failures : 0);
            if (failures < allowed) return Effect.void;
            own.failures = 0;
            own.closedUntil = clock.currentTimeMillisUnsafe() + cooldown;
            own.closedBy = failures;
            own.readAt = Number.NEGATIVE_INFINITY;
            return Effect.ignore(store.openBreaker(row, { failures, forMs: cooldown }));
          });
        };
        return Effect.flatMap(read, go);
      });

  return Object.assign(wrap, {
    label: "breaker",
    runsNoCode: true,
    isAvailable: (tool: string, now: number) => (known.get(tool)?.closedUntil ?? 0) <= now,
  });
};
