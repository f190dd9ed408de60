import type { Trip } from "../../words/call.ts";
import type { Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { House } from "../house.ts";

/** Every started call ends with exactly one of executed and failed; pending is no end. */
export const announceStart = (house: House, trip: Trip, principal: Principal | undefined): void => {
  const { events } = house;
  if (events.isHeard("tools.started"))
    events.emit("tools.started", ofCall(house, trip, principal, undefined));
};

export const announceEnd = (
  house: House,
  trip: Trip,
  principal: Principal | undefined,
  key: string | undefined,
  outcome: Outcome,
  executionTimeMs: number,
): void => {
  const { events, redactor } = house;
  if (outcome._tag === "value") {
    if (!events.isHeard("tools.executed")) return;
    events.emit(
      "tools.executed",
      Object.assign(ofCall(house, trip, principal, key), { success: true as const, executionTimeMs }),
    );
  } else if (outcome._tag === "failure") {
    if (!events.isHeard("tools.failed")) return;
    const { code, message } = outcome.failure;
    const end = { success: false as const, executionTimeMs, code, message };
    events.emit("tools.failed", Object.assign(ofCall(house, trip, principal, key), end));
  } else if (events.isHeard("tools.pending")) {
    const masked = { ...outcome.approval, input: redactor.value(outcome.approval.input) };
    events.emit("tools.pending", Object.assign(ofCall(house, trip, principal, key), { approval: masked }));
  }
};

/** A name that no tool has may be anything, a secret too. */
const ofCall = (house: House, trip: Trip, principal: Principal | undefined, key: string | undefined) => ({
  toolName: key ?? house.redactor.text(trip.raw.tool),
  callId: trip.raw.id,
  entryId: trip.entryId,
  runId: trip.scope.id,
  agentId: principal?.agent,
  sessionId: principal?.session,
});
