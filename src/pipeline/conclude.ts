import * as Effect from "effect/Effect";
import { taintOf } from "../policy/taint.ts";
import { stageOf } from "../words/failure.ts";
import { failed, joinTaints, type Outcome, taintsOf } from "../words/outcome.ts";
import type { Reply } from "../words/reply.ts";
import { sameCall } from "./3-authorize/repeats-unknown.ts";
import { brokenLayer } from "./4-layers/to-outcome.ts";
import { type CheckedOutcome, check } from "./6-check/check.ts";
import type { CheckParts } from "./6-check/check-parts.ts";
import { announceEnd } from "./7-record/announce.ts";
import { maskFailure } from "./7-record/mask-failure.ts";
import { mayRunUnrecorded, unrecorded, writeClosing } from "./7-record/record.ts";
import { toReply, withWholeValue } from "./8-reply/reply.ts";
import type { CallServices } from "./call-services.ts";
import type { CallState } from "./call-state.ts";
import { answerInside } from "./current-call.ts";
import { andThen, type Eventually, later, toEffect } from "./eventually.ts";
import { labelsOf } from "./execute.ts";
import { observe } from "./observe.ts";
import { onDemand } from "./on-demand.ts";
import { addUnknown, closeRecorder, releaseTurn } from "./recorder.ts";

/**
 * Stages 6 to 8: held against the promise, written down, announced, and only then put into words. From here on the
 * grant is dead, and a layer that still holds it starts nothing.
 */
export const conclude = (services: CallServices, state: CallState, given: Outcome): Eventually<Reply> =>
  hasParts(given)
    ? later(
        Effect.flatMap(partsStage, ({ checkParts }) =>
          toEffect(concludeChecked(services, state, given, checkParts)),
        ),
      )
    : concludeChecked(services, state, given);

/** Most calls give no media. */
const partsStage = onDemand(() => import("./6-check/check-parts.ts"));

const hasParts = (given: Outcome): boolean => {
  try {
    return given._tag === "value" && given.parts !== undefined;
  } catch {
    return false;
  }
};

const concludeChecked = (
  services: CallServices,
  state: CallState,
  given: Outcome,
  checkParts?: CheckParts,
): Eventually<Reply> => {
  const { request, recorder, clock, ledgerError, registration } = state;
  if (given._tag !== "pending") closeRecorder(recorder);
  const { text, outcome, notes } = checkOutcome(services, state, given, checkParts);
  const durationMs = Number(clock.monotonicTimeNanosUnsafe() - state.startedAt) / 1e6;
  const taints = allTaints(state, outcome);
  const layers = registration === undefined ? undefined : labelsOf(services, registration, request);
  const written =
    ledgerError === undefined
      ? writeClosing(services, state, { outcome, text, notes, durationMs, layers, taints })
      : undefined;
  releaseTurn(recorder);
  rememberUnknown(state);
  state.parent?.addTaints(taints);
  const reply = (final: Outcome): Reply => {
    announceEnd(services, state, final, durationMs);
    if (final._tag !== "value")
      observe(services, request, (observer) => observer.concluded(state, final, durationMs));
    const told = toReply(request.raw, final, text, services.redactor, taints);
    const given = registration === undefined ? told : withWholeValue(told, registration.tool.implementation);
    state.onReply?.(given);
    return given;
  };
  return andThen(written, (lost) => {
    if (lost === undefined || registration === undefined || mayRunUnrecorded(services, state, lost)) {
      return reply(outcome);
    }
    if (outcome._tag === "pending") services.waiting.delete(outcome.approval.id);
    return reply(masked(services, unrecorded(registration.key, lost, recorder.hasRun)));
  });
};

/** Foreign values are looked at in here; whatever they do, something comes out that can be recorded. */
const checkOutcome = (
  services: CallServices,
  state: CallState,
  given: Outcome,
  checkParts: CheckParts | undefined,
): CheckedOutcome => {
  const { registration } = state;
  try {
    // A foreign error too: its stack is made of its message when it is first looked at.
    return answerInside(services, state, () => {
      const { outcome, ...more } = check(registration, given, services.settings, checkParts);
      return { ...more, outcome: masked(services, outcome) };
    });
  } catch {
    const outcome = brokenLayer(registration?.key ?? "", "its outcome cannot be read");
    return { text: "", outcome: masked(services, outcome) };
  }
};

const masked = ({ redactor }: CallServices, outcome: Outcome): Outcome =>
  outcome._tag === "failure" ? failed(maskFailure(outcome.failure, redactor), outcome.taints) : outcome;

/** Tools whose untrusted words are in what the model is told: the tool's own, and those its code has read. */
const allTaints = ({ registration, recorder }: CallState, outcome: Outcome): readonly string[] => {
  const read = joinTaints(taintsOf(outcome), recorder.taints);
  const own = registration !== undefined && hasToolsWords(outcome) ? taintOf(registration) : undefined;
  return own === undefined ? read : joinTaints([own], read);
};

/** A value, or a failure of the tool's own, whatever it says of having run. */
const hasToolsWords = (outcome: Outcome): boolean => {
  if (outcome._tag !== "failure") return outcome._tag === "value";
  const stage = stageOf(outcome.failure);
  return stage === "run" || stage === "check";
};

/** The same call once more in this run is put before a person: the first may have taken effect. */
const rememberUnknown = (state: CallState): void => {
  const { recorder, registration, request } = state;
  if (registration === undefined) return;
  for (const attempt of recorder.attempts) {
    // The hash is made when it is read, and most calls need none.
    if (attempt.ending !== "unknown") continue;
    addUnknown(request.scope.tally, sameCall(registration.key, attempt.inputHash));
  }
};
