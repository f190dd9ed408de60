import type { Outcome } from "../../types/outcome.ts";
import type { CallServices } from "../call-services.ts";
import type { CallState } from "../call-state.ts";

/** A started call ends with exactly one of executed and failed; pending is not an end. */
export const announceStart = (services: CallServices, state: CallState): void => {
  const { events } = services;
  if (events.isHeard("tools.started")) events.emit("tools.started", toCallEvent(services, state));
};

export const announceEnd = (
  services: CallServices,
  state: CallState,
  outcome: Outcome,
  executionTimeMs: number,
): void => {
  const { events, redactor } = services;
  if (outcome._tag === "value") {
    if (!events.isHeard("tools.executed")) return;
    const end = { success: true as const, executionTimeMs };
    events.emit("tools.executed", Object.assign(toCallEvent(services, state), end));
  } else if (outcome._tag === "failure") {
    if (!events.isHeard("tools.failed")) return;
    const { code, message } = outcome.failure;
    const end = { success: false as const, executionTimeMs, code, message };
    events.emit("tools.failed", Object.assign(toCallEvent(services, state), end));
  } else if (outcome.suspension === undefined && events.isHeard("tools.pending")) {
    // For suspended code, the requests of its own calls were already announced.
    const { callId, input } = outcome.approval;
    const masked = { ...outcome.approval, callId: redactor.text(callId), input: redactor.value(input) };
    events.emit("tools.pending", Object.assign(toCallEvent(services, state), { approval: masked }));
  }
};

/** Masks ids and unknown tool names, because a model chooses them. */
const toCallEvent = ({ redactor }: CallServices, { request, principal, registration }: CallState) => ({
  toolName: registration?.key ?? redactor.text(request.raw.tool),
  callId: redactor.text(request.raw.id),
  entryId: request.entryId,
  runId: request.scope.id,
  agentId: principal?.agent,
  sessionId: principal?.session,
});
