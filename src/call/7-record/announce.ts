import type { Trip } from "../../words/call.ts";
import type { EventBus } from "../../words/event.ts";
import type { Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";

/** Every started call ends with exactly one of executed and failed; pending is no end. */
export const announceStart = (events: EventBus, trip: Trip, principal: Principal | undefined): void => {
  if (events.isHeard("tools.started")) events.emit("tools.started", ofCall(trip, principal, trip.raw.tool));
};

export const announceEnd = (
  events: EventBus,
  trip: Trip,
  principal: Principal | undefined,
  key: string,
  outcome: Outcome,
  executionTimeMs: number,
): void => {
  if (outcome._tag === "value") {
    if (!events.isHeard("tools.executed")) return;
    events.emit(
      "tools.executed",
      Object.assign(ofCall(trip, principal, key), { success: true as const, executionTimeMs }),
    );
  } else if (outcome._tag === "failure") {
    if (!events.isHeard("tools.failed")) return;
    const { code, message } = outcome.failure;
    const end = { success: false as const, executionTimeMs, code, message };
    events.emit("tools.failed", Object.assign(ofCall(trip, principal, key), end));
  } else if (events.isHeard("tools.pending")) {
    events.emit("tools.pending", Object.assign(ofCall(trip, principal, key), { approval: outcome.approval }));
  }
};

const ofCall = (trip: Trip, principal: Principal | undefined, toolName: string) => ({
  toolName,
  callId: trip.raw.id,
  entryId: trip.entryId,
  runId: trip.scope.id,
  agentId: principal?.agent,
  sessionId: principal?.session,
});
