import * as Effect from "effect/Effect";
import { taintSourceOf } from "../policy/taint.ts";
import { isJournaledCallId, isModelKey } from "../types/call.ts";
import { stageOf } from "../types/failure.ts";
import { failed, joinTaints, type Outcome, type Reply, taintsOfOutcome } from "../types/outcome.ts";
import { isReadOnly } from "../types/tool.ts";
import { layerBrokeOutcome } from "./4-layers/gate.ts";
import { type CheckedOutcome, checkResult } from "./6-check/check.ts";
import type { PartsChecker } from "./6-check/check-parts.ts";
import { maskFailure } from "./7-record/mask-failure.ts";
import { announceEnd, canRunUnrecorded, unrecordedOutcome, writeClosing } from "./7-record/record.ts";
import { toReply, withRestoredParts } from "./8-reply/reply.ts";
import type { CallServices, CallState } from "./call-state.ts";
import { withCallContext } from "./current-call.ts";
import { layerLabelsOf } from "./execute.ts";
import { deferEffect, flatMapMaybe, loadOnDemand, type MaybeEffect, toEffect } from "./maybe-effect.ts";
import { notifyObserver } from "./notify-observer.ts";
import { addUnknownCall, callFingerprint, recordRunText } from "./recorder.ts";

/** Stages 6 to 8. Unless the call is pending, its permit is void from here on. */
export const conclude = (services: CallServices, state: CallState, given: Outcome): MaybeEffect<Reply> =>
  hasParts(given)
    ? deferEffect(
        Effect.flatMap(checkPartsModule, ({ checkParts }) =>
          toEffect(concludeChecked(services, state, given, checkParts)),
        ),
      )
    : concludeChecked(services, state, given);

const checkPartsModule = loadOnDemand(() => import("./6-check/check-parts.ts"));

const hasParts = (given: Outcome): boolean => given._tag === "value" && given.parts !== undefined;

const concludeChecked = (
  services: CallServices,
  state: CallState,
  given: Outcome,
  checkParts?: PartsChecker,
): MaybeEffect<Reply> => {
  const { request, recorder, clock, ledgerError, registration } = state;
  if (given._tag !== "pending") recorder.close();
  const { text, outcome, notes } = checkOutcome(services, state, given, checkParts);
  const durationMs = Number(clock.monotonicTimeNanosUnsafe() - state.startedAt) / 1e6;
  const taints = collectTaints(state, outcome);
  const layers = registration === undefined ? undefined : layerLabelsOf(services, registration, request);
  const writeResult =
    ledgerError === undefined
      ? writeClosing(services, state, { outcome, text, notes, durationMs, layers, taints })
      : undefined;
  recorder.releaseCostTurn();
  recordUnknownAttempts(state);
  state.parent?.addTaints(taints);
  const reply = (final: Outcome): Reply => {
    announceEnd(services, state, final, durationMs);
    if (final._tag !== "value")
      notifyObserver(services, request, (observer) =>
        observer.concluded(state, final, durationMs, services.redactor.text),
      );
    const modelReply = toReply(request.raw, final, text, services.redactor, taints);
    recordResultText(state, final, modelReply.text, taints);
    const given =
      registration === undefined
        ? modelReply
        : withRestoredParts(modelReply, registration.tool.implementation);
    state.onReply?.(given);
    return given;
  };
  return flatMapMaybe(writeResult, (writeError) => {
    if (
      writeError === undefined ||
      registration === undefined ||
      canRunUnrecorded(services, state, writeError)
    ) {
      return reply(outcome);
    }
    if (outcome._tag === "pending") services.pendingCalls.delete(outcome.approval.id);
    return reply(maskOutcome(services, unrecordedOutcome(registration.key, writeError, recorder.hasRun)));
  });
};

const checkOutcome = (
  services: CallServices,
  state: CallState,
  given: Outcome,
  checkParts: PartsChecker | undefined,
): CheckedOutcome => {
  const { registration } = state;
  try {
    // Reading an error's stack can run foreign code.
    return withCallContext(services, state, () => {
      const { outcome, ...more } = checkResult(registration, given, services.settings, checkParts);
      return { ...more, outcome: maskOutcome(services, outcome) };
    });
  } catch {
    const outcome = layerBrokeOutcome(registration?.key ?? "", "its outcome cannot be read");
    return { text: "", outcome: maskOutcome(services, outcome) };
  }
};

const maskOutcome = ({ redactor }: CallServices, outcome: Outcome): Outcome =>
  outcome._tag === "failure" ? failed(maskFailure(outcome.failure, redactor), outcome.taints) : outcome;

/** Text of a tool that the model reads. */
const recordResultText = (
  state: CallState & { readonly input?: unknown },
  outcome: Outcome,
  text: string,
  taints: readonly string[],
): void => {
  const { registration, request, input, parent } = state;
  if (registration === undefined || isModelKey(registration.key) || !hasToolContent(outcome)) return;
  // What the code of a tool calls can return its untrusted content, except for a program of the model.
  const isInTool = parent !== undefined && !isJournaledCallId(request.raw.id, parent.request.entryId);
  recordRunText(request.scope.tally, {
    source: "result",
    text,
    tool: registration.key,
    input,
    isUntrusted: taints.length > 0 || isInTool,
    isWrite: !isReadOnly(registration.tool.spec),
  });
};

const collectTaints = ({ registration, recorder }: CallState, outcome: Outcome): readonly string[] => {
  const read = joinTaints(taintsOfOutcome(outcome), recorder.taints);
  const own = registration !== undefined && hasToolContent(outcome) ? taintSourceOf(registration) : undefined;
  return own === undefined ? read : joinTaints([own], read);
};

const hasToolContent = (outcome: Outcome): boolean => {
  if (outcome._tag !== "failure") return outcome._tag === "value";
  const stage = stageOf(outcome.failure);
  return stage === "run" || stage === "check";
};

/** A repeat of such a call in this run requires approval, because the first may have taken effect. */
const recordUnknownAttempts = (state: CallState): void => {
  const { recorder, registration, request } = state;
  if (registration === undefined) return;
  for (const attempt of recorder.attempts) {
    if (attempt.ending !== "unknown") continue;
    addUnknownCall(
      request.scope.tally,
      callFingerprint(registration.key, attempt.inputHash),
      request.entryId,
    );
  }
};
