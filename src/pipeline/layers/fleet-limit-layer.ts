import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Handler } from "../../types/layer.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import { type SharedLimit, SharedLimits, type SharedLimitsStore } from "../../types/shared-limits.ts";
import { overloadedOutcome, queueLaneOf } from "./overloaded.ts";
import { FleetLimit } from "./waiting/fleet-limit.ts";

export const createFleetLimitLayer = (limit: SharedLimit, queue: number): ((next: Handler) => Handler) => {
  // Each runtime has its own store; the limit is shared by name.
  const limits = new WeakMap<SharedLimitsStore, FleetLimit>();
  const limitOf = (store: SharedLimitsStore): FleetLimit => {
    const fleetLimit = limits.get(store) ?? new FleetLimit(limit, store, queue);
    limits.set(store, fleetLimit);
    return fleetLimit;
  };
  return (next) => (call) => {
    let inside: FleetLimit | undefined;
    const { request } = call;
    // Registers the finalizer first, so that a place is always released.
    return Effect.onExitPrimitive(
      Effect.withFiber((fiber) => {
        const store = fiber.getRef(SharedLimits);
        if (store === undefined) return Effect.succeed(fleetMissingOutcome(call, "limit"));
        const fleetLimit = limitOf(store);
        if (fleetLimit.isInside(request)) return next(call);
        return Effect.callback<Outcome>((resume) => {
          const leaveQueue = fleetLimit.queue(queueLaneOf(call), fiber, {
            admit: () => {
              inside = fleetLimit;
              fleetLimit.enter(request);
              resume(Effect.suspend(() => next(call)));
            },
            refuse: (why) => resume(Effect.succeed(overloadedOutcome(call, undefined, why))),
          });
          return Effect.sync(leaveQueue);
        });
      }),
      () => {
        inside?.leave(request);
        inside = undefined;
        return undefined;
      },
    );
  };
};

export const fleetMissingOutcome = (call: AuthorizedCall, layer: string): Outcome =>
  failed({
    code: "layer_broke",
    tool: call.registration.key,
    ran: false,
    message: `${layer}({ scope: "fleet" }) around "${call.registration.key}" needs a fleet, and this runtime has none. Open it with Haft.open({ ledger: "postgres://…", fleet: fleet() }), fleet of haft/fleet, and set HAFT_LEDGER_KEY.`,
  });
