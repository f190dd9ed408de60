import * as Effect from "effect/Effect";
import { failed, type Outcome } from "../words/outcome.ts";
import type { ToolSpec } from "../words/spec.ts";
import { askRepairer, isRepairable } from "./1-hydrate/ask-repairer.ts";
import { hydrate, readInput, reviseInput } from "./1-hydrate/hydrate.ts";
import { bind } from "./2-bind/bind.ts";
import { type Authorized, authorize } from "./3-authorize/authorize.ts";
import { brokenLayer, toOutcome } from "./4-layers/to-outcome.ts";
import type { CallServices } from "./call-services.ts";
import {
  type BoundCall,
  type CallState,
  type GrantedCall,
  type HydratedCall,
  isStopped,
  type Stopped,
  stopped,
  type UnansweredCall,
} from "./call-state.ts";
import { waitForCosts } from "./cost-queue.ts";
import { answerInside } from "./current-call.ts";
import { andThen, type Eventually, type Interruptible, Later, later } from "./eventually.ts";

/** Allowed, a question to a person, or the end of it. */
export type Prepared = GrantedCall | UnansweredCall | Stopped;

/** Stages 1 to 3: nothing in here touches the world, and each failure outranks those after it. */
export const prepare = (
  services: CallServices,
  state: CallState,
  interruptible: Interruptible,
): Eventually<Prepared> =>
  andThen(hydrateOnce(services, state, interruptible), (hydrated) =>
    isStopped(hydrated) ? hydrated : authorizeHydrated(services, hydrated, interruptible),
  );

/** Stage 1. Where that is allowed, arguments that cannot be used are put before a repairer, once. */
export const hydrateOnce = (
  services: CallServices,
  state: CallState,
  interruptible: Interruptible,
): Eventually<HydratedCall | Stopped> => {
  const hydrated = runForeign(services, state, () => hydrate(services, state));
  if (!isStopped(hydrated) || !isRepairable(hydrated)) return hydrated;
  const { registration } = hydrated.state;
  const problem = hydrated.outcome._tag === "failure" ? hydrated.outcome.failure.message : "";
  const asked = Effect.timeoutOrElse(askRepairer(state, registration!.tool, problem), {
    duration: services.settings.defaultTimeoutMs,
    orElse: () => Effect.sync(() => state.recorder.note("repair: the repairer did not answer in time")),
  });
  const repairedOnce = Effect.matchCause(interruptible(asked), {
    onSuccess: (repaired) => {
      if (repaired === undefined) return hydrated;
      const again = runForeign(services, state, () => readInput(services, state, registration!, repaired));
      if (!isStopped(again)) return again;
      // What the repairer wrote is no better: the call is refused for what came.
      state.recorder.note("repair: what the repairer answered cannot be used either");
      return hydrated;
    },
    onFailure: (cause) => stoppedBy(services, hydrated.state, () => toOutcome(cause, state.request.raw.tool)),
  });
  return later(repairedOnce);
};

/** Stages 2 and 3. */
export const authorizeHydrated = (
  services: CallServices,
  hydrated: HydratedCall,
  interruptible: Interruptible,
): Eventually<Prepared> => {
  const bound = runForeign(services, hydrated, () => bind(hydrated));
  if (isStopped(bound)) return bound;
  return andThen(waitForCosts(services, bound, interruptible), (instead) =>
    instead === undefined
      ? untilCancelled(services, bound, authorizeBound(services, bound), interruptible)
      : instead,
  );
};

/** A policy that asks somebody else can be interrupted while it does. */
const untilCancelled = (
  services: CallServices,
  call: BoundCall,
  authorized: Eventually<Authorized>,
  interruptible: Interruptible,
): Eventually<Authorized> => {
  if (!(authorized instanceof Later)) return authorized;
  return later(
    Effect.matchCause(interruptible(authorized.effect), {
      onSuccess: (each) => each,
      onFailure: (cause) => stoppedBy(services, call, () => toOutcome(cause, call.registration.key)),
    }),
  );
};

/** Stage 3: the approval layers around the tool, then policy. */
export const authorizeBound = (services: CallServices, bound: BoundCall): Eventually<Authorized> =>
  orStopped(services, bound, () => {
    const { approvers } = services.stackOf(bound.registration.tool, bound.request.layers);
    return authorize(services, bound, approvers, (call, input) => reviseInput(services, call, input));
  });

/** An input that a layer put in place of the one that was granted: validated and authorized like the first. */
export const reauthorize = (
  services: CallServices,
  call: GrantedCall,
  input: unknown,
  mode: ToolSpec["validate"] | undefined,
): Eventually<Prepared> =>
  orStopped(services, call, () => {
    const revised = answerInside(services, call, () => reviseInput(services, call, input, mode));
    if (isStopped(revised)) return revised;
    return authorize(services, revised, call.approvers, (each, edited) =>
      reviseInput(services, each, edited),
    );
  });

/** A stage that runs code of somebody else's: what it calls is part of this call, and what it throws stops it. */
const runForeign = <A>(services: CallServices, state: CallState, stage: () => A): A | Stopped =>
  orStopped(services, state, () => answerInside(services, state, stage));

/** A policy, a schema or a layer of somebody else's that throws stops the call. */
const orStopped = <A>(services: CallServices, state: CallState, body: () => A): A | Stopped => {
  try {
    return body();
  } catch (cause) {
    const key = state.registration?.key ?? state.request.raw.tool;
    return stoppedBy(services, state, () => brokenLayer(key, cause));
  }
};

/**
 * A broken layer or a cancellation cannot know whether the code ran; before stage 4 it has not, and that is counted.
 * What was thrown is looked at inside of the call, since its getters are foreign code.
 */
const stoppedBy = (services: CallServices, state: CallState, read: () => Outcome): Stopped => {
  const outcome = answerInside(services, state, read);
  if (outcome._tag !== "failure") return stopped(state, outcome);
  return stopped(state, failed({ ...outcome.failure, ran: state.recorder.hasRun }, outcome.taints));
};
