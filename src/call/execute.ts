import * as Effect from "effect/Effect";
import type { CallRequest } from "../words/call.ts";
import type { Handler } from "../words/layer.ts";
import { failed, type Outcome } from "../words/outcome.ts";
import type { Registration } from "../words/tool.ts";
import { toAuthorizedCall } from "./3-authorize/grant.ts";
import { overBudget } from "./3-authorize/over-budget.ts";
import { denied } from "./3-authorize/refuse.ts";
import { orBrokenLayer, toOutcome } from "./4-layers/to-outcome.ts";
import { isFullSync, mayRunUnrecorded, unrecorded, writeIntent } from "./7-record/record.ts";
import type { CallServices } from "./call-services.ts";
import type { CallState, GrantedCall } from "./call-state.ts";
import { answerInside, runFiberInside, toRunningCall } from "./current-call.ts";
import { andThen, type Eventually, type Interruptible, later } from "./eventually.ts";
import { claimIdempotencyKey } from "./idempotency.ts";
import { toSuspended } from "./pending/suspended-call.ts";
import { countCall, keepReplaced, reserveCost } from "./recorder.ts";

/** What the layers and the code came to; or why they do not run; or what came of the first call under the same key. */
export const execute = (
  services: CallServices,
  call: GrantedCall,
  interruptible: Interruptible,
): Eventually<Outcome> => {
  const unrecorded = refuseUnrecorded(services, call);
  if (unrecorded !== undefined) return unrecorded;
  return andThen(writeStart(services, call), (unwritten) => {
    if (unwritten !== undefined) return unwritten;
    return andThen(claimIdempotencyKey(services, call), (earlier) => {
      if (earlier !== undefined) return earlier;
      // Calls of one turn may have been granted at the same time; the one that is counted last is one too many.
      const spent = overBudget(call);
      if (spent !== undefined) return denied(call, { reason: spent, ruleIds: [] });
      countStart(call);
      return later(runLayers(services, call, interruptible));
    });
  });
};

/** Nothing runs that cannot be recorded, save a read where the operator said it may. */
const refuseUnrecorded = (services: CallServices, call: GrantedCall): Outcome | undefined => {
  const { ledgerError, registration } = call;
  if (ledgerError === undefined || mayRunUnrecorded(services, call, ledgerError)) return undefined;
  return unrecorded(registration.key, ledgerError, false);
};

/** Puts the start of a risky call on disk by itself. Gives why it must not run, if that could not be written. */
const writeStart = (services: CallServices, call: GrantedCall): Eventually<Outcome | undefined> => {
  const { ledgerError, registration, request, clock } = call;
  if (ledgerError !== undefined || !isFullSync(services, call)) return undefined;
  const layers = labelsOf(services, registration, request);
  const written = writeIntent(services, call, layers, clock.currentTimeMillisUnsafe());
  return andThen(written, (lost) =>
    lost === undefined ? undefined : unrecorded(registration.key, lost, false),
  );
};

/** Counted with the grant, so that the calls of one turn see each other. A question to a model is no call of a tool. */
const countStart = ({ request, registration, recorder, spec }: GrantedCall): void => {
  // One that was stopped and goes on was counted when it began.
  if (!isModelQuestion(registration.key) && !recorder.hasRun) countCall(request.scope.tally, 1);
  if (spec.maxCost !== undefined) reserveCost(recorder, spec.maxCost);
};

/** No tool's name has a colon, so this is the key of a model and nothing else. */
export const isModelQuestion = (key: string): boolean => key.startsWith("model:");

/** Stages 4 and 5. They can be interrupted, and whatever happens in them, an outcome comes out. */
const runLayers = (
  services: CallServices,
  call: GrantedCall,
  interruptible: Interruptible,
): Effect.Effect<Outcome> => {
  const { key } = call.registration;
  return Effect.matchCause(interruptible(enterLayers(services, call)), {
    onSuccess: (outcome) => orSuspended(services, call, asRecorded(orBrokenLayer(outcome, key), call)),
    onFailure: (cause) =>
      asRecorded(
        answerInside(services, call, () => toOutcome(cause, key)),
        call,
      ),
  });
};

/**
 * Code that stopped because calls of its own wait for a person, and left behind what it needs to be started again, waits
 * too. Through the layers it went as a failure, and one that made something else of it has the last word.
 */
const orSuspended = (services: CallServices, call: GrantedCall, outcome: Outcome): Outcome => {
  const { suspension } = call.recorder;
  if (suspension === undefined || outcome._tag !== "failure") return outcome;
  return outcome.failure.approval === undefined ? outcome : toSuspended(services, call, suspension);
};

/** Whether the code ran is what was counted, whoever answers; what the code gave is kept where a layer replaced it. */
const asRecorded = (outcome: Outcome, { recorder }: CallState): Outcome => {
  if (outcome._tag === "failure") {
    const ran = recorder.hasRun;
    if ((outcome.failure.ran ?? false) === ran) return outcome;
    return failed({ ...outcome.failure, ran }, outcome.taints);
  }
  const { lastValue } = recorder;
  if (outcome._tag !== "value" || lastValue === undefined || Object.is(outcome.value, lastValue.value))
    return outcome;
  keepReplaced(recorder, lastValue.value);
  if (outcome.flow.kind !== "rewrite" || outcome.flow.original !== undefined) return outcome;
  return { ...outcome, flow: { kind: "rewrite", original: lastValue.value } };
};

const enterLayers = (services: CallServices, call: GrantedCall): Effect.Effect<Outcome> => {
  try {
    const { handler, runsCode } = services.stackOf(call.registration.tool, call.request.layers);
    // Calls that a layer makes are part of this one. Layers that can make none need no fiber of their own for that.
    if (runsCode) return runFiberInside(toRunningCall(services, call), () => enter(handler, call));
    return enter(handler, call);
  } catch (thrown) {
    return Effect.die(thrown);
  }
};

const enter = (handler: Handler, call: GrantedCall): Effect.Effect<Outcome> => {
  const effect = handler(toAuthorizedCall(call));
  return Effect.isEffect(effect) ? effect : Effect.die("a layer answered without an Effect");
};

/** What the layers around a call are called. One that breaks when it is put around a tool has no name either. */
export const labelsOf = (
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
