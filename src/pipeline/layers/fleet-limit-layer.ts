import * as Effect from "effect/Effect";
import type { AuthorizedCall } from "../words/call.ts";
import type { Handler } from "../words/layer.ts";
import { failed, type Outcome } from "../words/outcome.ts";
import { type SharedLimit, SharedLimits, type SharedLimitsStore } from "../words/shared-limits.ts";
import { laneOf, overloaded } from "./overloaded.ts";
import { FleetLimit } from "./waiting/fleet-limit.ts";

/** Bounds the calls of all processes that name the same limit. */
export const fleetLimited = (limit: SharedLimit, queue: number): ((next: Handler) => Handler) => {
  // Each runtime has a store of its own; the limit is one in all of them by its name.
  const parts = new WeakMap<SharedLimitsStore, FleetLimit>();
  const partOf = (store: SharedLimitsStore): FleetLimit => {
    const part = parts.get(store) ?? new FleetLimit(limit, store, queue);
    parts.set(store, part);
    return part;
  };
  return (next) => (call) => {
    let inside: FleetLimit | undefined;
    const { request } = call;
    // The way out is laid before the way in: whatever ends the call, a place taken is given back.
    return Effect.onExitPrimitive(
      Effect.withFiber((fiber) => {
        const store = fiber.getRef(SharedLimits);
        if (store === undefined) return Effect.succeed(noFleet(call, "limit"));
        const part = partOf(store);
        if (part.isInside(request)) return next(call);
        return Effect.callback<Outcome>((resume) => {
          const leaveQueue = part.queue(laneOf(call), fiber, {
            admit: () => {
              inside = part;
              part.enter(request);
              resume(Effect.suspend(() => next(call)));
            },
            refuse: (why) => resume(Effect.succeed(overloaded(call, undefined, why))),
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

/** A limit that cannot be counted would be none, so nothing is let through. */
export const noFleet = (call: AuthorizedCall, layer: string): Outcome =>
  failed({
    code: "layer_broke",
    tool: call.registration.key,
    ran: false,
    message: `${layer}({ scope: "fleet" }) around "${call.registration.key}" needs a fleet, and this runtime has none. Open it with Haft.open({ ledger: "postgres://…", fleet: fleet() }), fleet of haft/fleet, and set HAFT_LEDGER_KEY.`,
  });
