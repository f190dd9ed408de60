import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { CallRequest } from "../../types/call.ts";
import { type SharedBreakerState, SharedLimits } from "../../types/shared-limits.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { circuitOpenOutcome, classifyExit } from "./circuit.ts";
import { fleetMissingOutcome } from "./fleet-limit-layer.ts";

export interface FleetBreakerOptions {
  readonly name: string;
  readonly allowed: number;
  readonly cooldown: number;
}

interface LocalBreakerState {
  failures: number;
  readAt: number;
  openUntil: number;
  openedByFailures: number;
}

const refreshIntervalMs = 1_000;
const unknownBreakerState: SharedBreakerState = { closedInMs: 0, failures: 0, mayTest: false };

export const fleetBreaker = ({ name, allowed, cooldown }: FleetBreakerOptions): ToolLayer => {
  const localStates = new Map<string, LocalBreakerState>();
  const activeRequests = new Set<CallRequest>();
  const localStateOf = (tool: string): LocalBreakerState => {
    const one = localStates.get(tool) ?? {
      failures: 0,
      readAt: Number.NEGATIVE_INFINITY,
      openUntil: 0,
      openedByFailures: 0,
    };
    localStates.set(tool, one);
    return one;
  };

  const wrap =
    (next: Handler): Handler =>
    (call) =>
      Effect.withFiber((fiber) => {
        const { request, registration } = call;
        const store = fiber.getRef(SharedLimits);
        if (store === undefined) return Effect.succeed(fleetMissingOutcome(call, "breaker"));
        // A breaker used at two scopes counts a call once.
        if (activeRequests.has(request)) return next(call);
        const clock = fiber.getRef(Clock.Clock);
        const row = `${name}/${registration.key}`;
        const local = localStateOf(registration.key);
        const started = clock.currentTimeMillisUnsafe();
        if (local.openUntil > started) {
          return Effect.succeed(circuitOpenOutcome(call, local.openedByFailures, local.openUntil - started));
        }
        const isFresh = started - local.readAt < refreshIntervalMs && started >= local.readAt;
        // If the store cannot be read, only local failures count.
        const read = isFresh
          ? Effect.succeed(unknownBreakerState)
          : Effect.catch(store.readBreaker(row, { withinMs: cooldown }), () =>
              Effect.succeed(unknownBreakerState),
            );
        const proceed = (shared: SharedBreakerState) => {
          const now = clock.currentTimeMillisUnsafe();
          if (!isFresh) local.readAt = now;
          if (shared.closedInMs > 0) {
            local.openUntil = now + shared.closedInMs;
            local.openedByFailures = shared.failures;
            return Effect.succeed(circuitOpenOutcome(call, shared.failures, shared.closedInMs));
          }
          activeRequests.add(request);
          return Effect.onExit(next(call), (exit) => {
            activeRequests.delete(request);
            const verdict = classifyExit(exit);
            if (verdict === "unknown") return Effect.void;
            if (verdict === "well") {
              local.failures = 0;
              return shared.mayTest ? Effect.ignore(store.closeBreaker(row)) : Effect.void;
            }
            local.failures++;
            const failures = Math.max(local.failures, shared.mayTest ? shared.failures : 0);
            if (failures < allowed) return Effect.void;
            local.failures = 0;
            local.openUntil = clock.currentTimeMillisUnsafe() + cooldown;
            local.openedByFailures = failures;
            local.readAt = Number.NEGATIVE_INFINITY;
            return Effect.ignore(store.openBreaker(row, { failures, forMs: cooldown }));
          });
        };
        return Effect.flatMap(read, proceed);
      });

  return Object.assign(wrap, {
    label: "breaker",
    runsNoCode: true,
    isAvailable: (tool: string, now: number) => (localStates.get(tool)?.openUntil ?? 0) <= now,
  });
};
