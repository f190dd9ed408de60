import * as Effect from "effect/Effect";
import type { Decision } from "../policy/decide-case.ts";
import type { CallRequest } from "../types/call.ts";
import type { Handler } from "../types/layer.ts";
import { failed, type Outcome } from "../types/outcome.ts";
import type { Registration } from "../types/tool.ts";
import { decidePolicy } from "./3-authorize/authorize.ts";
import { findExceededBudget } from "./3-authorize/find-exceeded-budget.ts";
import { toAuthorizedCall } from "./3-authorize/issue-permit.ts";
import { deniedOutcome } from "./3-authorize/refusal-outcomes.ts";
import { requireOutcome, toCauseOutcome } from "./4-layers/cause-outcomes.ts";
import { canRunUnrecorded, isFullSync, unrecordedOutcome, writeIntent } from "./7-record/record.ts";
import type { CallServices } from "./call-services.ts";
import { type CallState, isStopped, type PermittedCall } from "./call-state.ts";
import { claimKeys } from "./claim-keys.ts";
import { toRunningCall, withCallContext, withCallContextEffect } from "./current-call.ts";
import {
  DeferredEffect,
  deferEffect,
  flatMapMaybe,
  type MaybeEffect,
  type RestoreInterruption,
} from "./maybe-effect.ts";
import { requestApproval } from "./pending/request-approval.ts";
import { toSuspendedOutcome } from "./pending/suspended-call.ts";
import { countCall, hasRunAdvancedSince, recordReplacedValue, reserveCost } from "./recorder.ts";

/** What the layers and the code came to; or why they do not run; or what came of the first call under the same key. */
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
 * Calls of one turn may have been allowed at the same time, or approved one after the other. So policy decides once more where
 * other calls of the run started since; nothing comes between that decision and counting this call.
 */
const startWithinBudget = (
  services: CallServices,
  call: PermittedCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome> => {
  const budgetReason = findExceededBudget(call);
  if (budgetReason !== undefined) return deniedOutcome(call, { reason: budgetReason, ruleIds: [] });
  if (call.recorder.hasRun || !hasRunAdvancedSince(call.recorder)) {
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

/** A policy engine that asks a service can be interrupted while it does. */
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

/** Nothing runs that cannot be recorded, save a read where the operator said it may. */
const refuseUnrecorded = (services: CallServices, call: PermittedCall): Outcome | undefined => {
  const { ledgerError, registration } = call;
  if (ledgerError === undefined || canRunUnrecorded(services, call, ledgerError)) return undefined;
  return unrecordedOutcome(registration.key, ledgerError, false);
};

/** Puts the start of a risky call on disk by itself. Gives why it must not run, if that could not be written. */
const writeStartIntent = (services: CallServices, call: PermittedCall): MaybeEffect<Outcome | undefined> => {
  const { ledgerError, registration, request, clock } = call;
  if (ledgerError !== undefined || !isFullSync(services, call)) return undefined;
  const layers = layerLabelsOf(services, registration, request);
  const writeResult = writeIntent(services, call, layers, clock.currentTimeMillisUnsafe());
  return flatMapMaybe(writeResult, (writeError) =>
    writeError === undefined ? undefined : unrecordedOutcome(registration.key, writeError, false),
  );
};

/** Counted with the grant, so that the calls of one turn see each other. A question to a model is no call of a tool. */
const countStart = ({ request, registration, recorder, spec }: PermittedCall): void => {
  // One that was stopped and goes on was counted when it began.
  if (!isModelKey(registration.key) && !recorder.hasRun) countCall(request.scope.tally, 1);
  if (spec.maxCost !== undefined) reserveCost(recorder, spec.maxCost);
};

/** No tool's name has a colon, so this is the key of a model and nothing else. */
export const isModelKey = (key: string): boolean => key.startsWith("model:");

/** Stages 4 and 5. They can be interrupted, and whatever happens in them, an outcome comes out. */
const runLayers = (
  services: CallServices,
  call: PermittedCall,
  interruptible: RestoreInterruption,
): Effect.Effect<Outcome> => {
  const { key } = call.registration;
  return Effect.matchCause(interruptible(enterLayers(services, call)), {
    onSuccess: (outcome) =>
      suspendIfWaiting(services, call, withRecordedAttempts(requireOutcome(outcome, key), call)),
    onFailure: (cause) =>
      withRecordedAttempts(
        withCallContext(services, call, () => toCauseOutcome(cause, key)),
        call,
      ),
  });
};

/**
 * Code that stopped because calls of its own wait for a person, and left behind what it needs to be started again, waits
 * too. Through the layers it went as a failure, and one that made something else of it has the last word.
 */
const suspendIfWaiting = (services: CallServices, call: PermittedCall, outcome: Outcome): Outcome => {
  const { suspension } = call.recorder;
  if (suspension === undefined || outcome._tag !== "failure") return outcome;
  return outcome.failure.approval === undefined ? outcome : toSuspendedOutcome(services, call, suspension);
};

/** Whether the code ran is what was counted, whoever answers; what the code gave is kept where a layer replaced it. */
const withRecordedAttempts = (outcome: Outcome, { recorder }: CallState): Outcome => {
  if (outcome._tag === "failure") {
    const ran = recorder.hasRun;
    if ((outcome.failure.ran ?? false) === ran) return outcome;
    return failed({ ...outcome.failure, ran }, outcome.taints);
  }
  const { lastValue } = recorder;
  if (outcome._tag !== "value" || lastValue === undefined || Object.is(outcome.value, lastValue.value))
    return outcome;
  recordReplacedValue(recorder, lastValue.value);
  if (outcome.flow.kind !== "rewrite" || outcome.flow.original !== undefined) return outcome;
  return { ...outcome, flow: { kind: "rewrite", original: lastValue.value } };
};

const enterLayers = (services: CallServices, call: PermittedCall): Effect.Effect<Outcome> => {
  try {
    const { handler, runsCode } = services.stackOf(call.registration.tool, call.request.layers);
    // Calls that a layer makes are part of this one. Layers that can make none need no fiber of their own for that.
    if (runsCode)
      return withCallContextEffect(toRunningCall(services, call), () => enterHandler(handler, call));
    return enterHandler(handler, call);
  } catch (thrown) {
    return Effect.die(thrown);
  }
};

const enterHandler = (handler: Handler, call: PermittedCall): Effect.Effect<Outcome> => {
  const effect = handler(toAuthorizedCall(call));
  return Effect.isEffect(effect) ? effect : Effect.die("a layer answered without an Effect");
};

/** What the layers around a call are called. One that breaks when it is put around a tool has no name either. */
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
