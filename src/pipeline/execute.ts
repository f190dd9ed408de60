import * as Effect from "effect/Effect";
import type { Decision } from "../policy/decide-case.ts";
import { type CallRequest, isModelKey } from "../types/call.ts";
import { failed, type Outcome } from "../types/outcome.ts";
import type { Handler, Registration } from "../types/tool.ts";
import { decidePolicy, findExceededBudget, toAuthorizedCall } from "./3-authorize/authorize.ts";
import { deniedOutcome } from "./3-authorize/refusal-outcomes.ts";
import { requireOutcome, toCauseOutcome } from "./4-layers/gate.ts";
import { canRunUnrecorded, isFullSync, unrecordedOutcome, writeIntent } from "./7-record/record.ts";
import { type CallServices, type CallState, isStopped, type PermittedCall } from "./call-state.ts";
import { claimKeys } from "./claim-keys.ts";
import { toRunningCall, withCallContextEffect } from "./current-call.ts";
import {
  DeferredEffect,
  deferEffect,
  flatMapMaybe,
  type MaybeEffect,
  type RestoreInterruption,
} from "./maybe-effect.ts";
import { requestApproval } from "./pending/request-approval.ts";
import { toSuspendedOutcome } from "./pending/suspended-call.ts";
import { countCall } from "./recorder.ts";

/** Stages 4 and 5, or the outcome of an earlier call with the same key. */
export const executeCall = (
  services: CallServices,
  call: PermittedCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome> => {
  const refusal = refuseUnrecorded(services, call);
  if (refusal !== undefined) return refusal;
  return flatMapMaybe(writeStartIntent(services, call), (intentFailure) => {
    if (intentFailure !== undefined) return intentFailure;
    return flatMapMaybe(claimKeys(services, call, interruptible), (replayed) => {
      return replayed ?? startWithinBudget(services, call, interruptible);
    });
  });
};

/**
 * Parallel calls of a turn can be authorized at the same time, so policy decides again if other calls of the
 * run started since.
 */
const startWithinBudget = (
  services: CallServices,
  call: PermittedCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome> => {
  const budgetReason = findExceededBudget(call);
  if (budgetReason !== undefined) return deniedOutcome(call, { reason: budgetReason, ruleIds: [] });
  if (call.recorder.hasRun || !call.recorder.hasRunAdvanced()) {
    countStart(call);
    return deferEffect(runLayers(services, call, interruptible));
  }
  return flatMapMaybe(reevaluatePolicy(services, call, interruptible), (decision) => {
    if (decision._tag !== undefined) return decision;
    if (decision.effect === "deny") return deniedOutcome(call, decision);
    if (decision.effect !== "approve" || call.isApproved)
      return startWithinBudget(services, call, interruptible);
    const { reason } = decision;
    const awaitingApproval = {
      kind: "question",
      call,
      reason,
      approvers: call.approvers,
      isNew: true,
    } as const;
    return flatMapMaybe(requestApproval(services, awaitingApproval, interruptible), (answered) =>
      isStopped(answered) ? answered.outcome : startWithinBudget(services, answered, interruptible),
    );
  });
};

const reevaluatePolicy = (
  services: CallServices,
  call: PermittedCall,
  interruptible: RestoreInterruption,
): MaybeEffect<(Decision & { readonly _tag?: undefined }) | Outcome> => {
  const decided = decidePolicy(services, call);
  if (!(decided instanceof DeferredEffect)) return decided;
  return deferEffect(
    Effect.matchCause(interruptible(decided.effect), {
      onSuccess: (decision): Decision | Outcome => decision,
      onFailure: (cause) => toCauseOutcome(cause, call.registration.key),
    }),
  );
};

const refuseUnrecorded = (services: CallServices, call: PermittedCall): Outcome | undefined => {
  const { ledgerError, registration } = call;
  if (ledgerError === undefined || canRunUnrecorded(services, call, ledgerError)) return undefined;
  return unrecordedOutcome(registration.key, ledgerError, false);
};

const writeStartIntent = (services: CallServices, call: PermittedCall): MaybeEffect<Outcome | undefined> => {
  const { ledgerError, registration, request, clock } = call;
  if (ledgerError !== undefined || !isFullSync(services, call)) return undefined;
  const layers = layerLabelsOf(services, registration, request);
  const writeResult = writeIntent(services, call, layers, clock.currentTimeMillisUnsafe());
  return flatMapMaybe(writeResult, (writeError) =>
    writeError === undefined ? undefined : unrecordedOutcome(registration.key, writeError, false),
  );
};

/**
 * Counts when the call starts, so that parallel calls of one turn share the budget. Model requests do not
 * count as tool calls.
 */
const countStart = ({ request, registration, recorder, spec }: PermittedCall): void => {
  // A resumed call was already counted when it first started.
  if (!isModelKey(registration.key) && !recorder.hasRun) countCall(request.scope.tally, 1);
  if (spec.maxCost !== undefined) recorder.reserveCost(spec.maxCost);
};

const runLayers = (
  services: CallServices,
  call: PermittedCall,
  interruptible: RestoreInterruption,
): Effect.Effect<Outcome> => {
  const { key } = call.registration;
  return Effect.matchCause(interruptible(enterLayers(services, call)), {
    onSuccess: (outcome) =>
      suspendIfWaiting(services, call, withRecordedAttempts(requireOutcome(outcome, key), call)),
    onFailure: (cause) => withRecordedAttempts(toCauseOutcome(cause, key), call),
  });
};

/**
 * Makes the call pending if its code was suspended. Layers see a suspension as a failure; if a layer replaces
 * it, the replacement wins.
 */
const suspendIfWaiting = (services: CallServices, call: PermittedCall, outcome: Outcome): Outcome => {
  const { suspension } = call.recorder;
  if (suspension === undefined || outcome._tag !== "failure") return outcome;
  return outcome.failure.approval === undefined ? outcome : toSuspendedOutcome(services, call, suspension);
};

/** Overrides `ran` with the recorded attempts, and keeps the code's value if a layer replaced it. */
const withRecordedAttempts = (outcome: Outcome, { recorder }: CallState): Outcome => {
  if (outcome._tag === "failure") {
    const ran = recorder.hasRun;
    if ((outcome.failure.ran ?? false) === ran) return outcome;
    return failed({ ...outcome.failure, ran }, outcome.taints);
  }
  const { lastValue } = recorder;
  if (outcome._tag !== "value" || lastValue === undefined || Object.is(outcome.value, lastValue.value))
    return outcome;
  recorder.replaced = { value: lastValue.value };
  if (outcome.flow.kind !== "rewrite" || outcome.flow.original !== undefined) return outcome;
  return { ...outcome, flow: { kind: "rewrite", original: lastValue.value } };
};

const enterLayers = (services: CallServices, call: PermittedCall): Effect.Effect<Outcome> => {
  try {
    const { handler, runsCode } = services.stackOf(call.registration.tool, call.request.layers);
    // Only layers that run code need a fiber that carries the call context.
    if (runsCode)
      return withCallContextEffect(toRunningCall(services, call), () => enterHandler(handler, call));
    return enterHandler(handler, call);
  } catch (thrown) {
    return Effect.die(thrown);
  }
};

const enterHandler = (handler: Handler, call: PermittedCall): Effect.Effect<Outcome> => {
  const effect = handler(toAuthorizedCall(call));
  return Effect.isEffect(effect) ? effect : Effect.die("a layer did not return an Effect");
};

export const layerLabelsOf = (
  services: CallServices,
  { tool }: Registration,
  { layers }: CallRequest,
): readonly string[] => {
  try {
    return services.stackOf(tool, layers).labels;
  } catch {
    return [];
  }
};
