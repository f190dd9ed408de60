import * as Effect from "effect/Effect";
import { failed, type Outcome } from "../types/outcome.ts";
import type { ToolSpec } from "../types/tool.ts";
import { hydrateCall, readInput, reviseInput } from "./1-hydrate/hydrate.ts";
import { bindCall } from "./2-bind/bind.ts";
import { type AuthorizationResult, authorizeCall } from "./3-authorize/authorize.ts";
import { layerBrokeOutcome, toCauseOutcome } from "./4-layers/gate.ts";
import {
  type BoundCall,
  type CallAwaitingApproval,
  type CallServices,
  type CallState,
  type HydratedCall,
  isStopped,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "./call-state.ts";
import { withCallContext } from "./current-call.ts";
import {
  DeferredEffect,
  deferEffect,
  flatMapMaybe,
  loadOnDemand,
  type MaybeEffect,
  type RestoreInterruption,
} from "./maybe-effect.ts";

export type PreparedCall = PermittedCall | CallAwaitingApproval | StoppedCall;

/** Stages 1 to 3. Nothing here has side effects, and the first failure is reported. */
export const prepareCall = (
  services: CallServices,
  state: CallState,
  interruptible: RestoreInterruption,
): MaybeEffect<PreparedCall> =>
  flatMapMaybe(hydrateWithRepair(services, state, interruptible), (hydrated) =>
    isStopped(hydrated) ? hydrated : authorizeHydrated(services, hydrated, interruptible),
  );

export const hydrateWithRepair = (
  services: CallServices,
  state: CallState,
  interruptible: RestoreInterruption,
): MaybeEffect<HydratedCall | StoppedCall> => {
  const hydrated = runUserCode(services, state, () => hydrateCall(services, state));
  if (!isStopped(hydrated) || !isRepairable(hydrated)) return hydrated;
  const { registration } = hydrated.state;
  const problem = hydrated.outcome._tag === "failure" ? hydrated.outcome.failure.message : "";
  const repairing = Effect.flatMap(repairModule, ({ requestRepair }) =>
    requestRepair(state, registration!.tool, problem),
  );
  const repairRequest = Effect.timeoutOrElse(repairing, {
    duration: services.settings.defaultTimeoutMs,
    orElse: () => Effect.sync(() => state.recorder.note("repair: the repairer did not answer in time")),
  });
  const repairedOnce = Effect.matchCause(interruptible(repairRequest), {
    onSuccess: (repaired) => {
      if (repaired === undefined) return hydrated;
      const rehydrated = runUserCode(services, state, () =>
        readInput(services, state, registration!, repaired),
      );
      if (!isStopped(rehydrated)) return rehydrated;
      // The repaired arguments are unusable too: report the original problem.
      state.recorder.note("repair: the repairer's arguments are not valid either");
      return hydrated;
    },
    onFailure: (cause) => stopWithOutcome(hydrated.state, toCauseOutcome(cause, state.request.raw.tool)),
  });
  return deferEffect(repairedOnce);
};

const repairModule = loadOnDemand(() => import("./1-hydrate/request-repair.ts"));

const isRepairable = ({ state, outcome }: StoppedCall): boolean => {
  const { repair, repairer, raw } = state.request;
  if (repair !== "model" || repairer === undefined || raw.finish === "incomplete") return false;
  if (outcome._tag !== "failure" || state.registration === undefined) return false;
  return outcome.failure.code === "unreadable_input" || outcome.failure.code === "invalid_input";
};

export const authorizeHydrated = (
  services: CallServices,
  hydrated: HydratedCall,
  interruptible: RestoreInterruption,
): MaybeEffect<PreparedCall> => {
  const bound = runUserCode(services, hydrated, () => bindCall(hydrated));
  if (isStopped(bound)) return bound;
  return flatMapMaybe(waitForCostTurn(services, bound, interruptible), (stoppedEarly) =>
    stoppedEarly === undefined
      ? interruptAuthorization(services, bound, authorizeBound(services, bound), interruptible)
      : stoppedEarly,
  );
};

class CostQueue {
  #isTaken = false;
  readonly #queue = new Set<() => void>();

  tryTake(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  wait(admit: () => void): () => void {
    this.#queue.add(admit);
    return () => this.#queue.delete(admit);
  }

  readonly release = (): void => {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#queue.delete(next);
    next();
  };
}

const costQueues = new WeakMap<object, CostQueue>();

/** Calls inside another call queue separately, because the outer call holds its turn while they run. */
const costQueueOf = ({ request, parent }: BoundCall): CostQueue => {
  const owner = parent?.recorder ?? request.scope.tally;
  const known = costQueues.get(owner) ?? new CostQueue();
  costQueues.set(owner, known);
  return known;
};

/**
 * Where a rule or a budget limits cost, calls without `maxCost` run one after another: decided in parallel,
 * they could exceed the limit together.
 */
const waitForCostTurn = (
  { policy }: CallServices,
  call: BoundCall,
  interruptible: RestoreInterruption,
): MaybeEffect<StoppedCall | undefined> => {
  const isCounted = policy.countsCost === true || call.request.scope.budget?.cost !== undefined;
  if (!isCounted || call.spec.maxCost !== undefined) return undefined;
  const { recorder, registration } = call;
  const queue = costQueueOf(call);
  const takeTurn = (): void => recorder.holdCostTurn(queue.release);
  if (queue.tryTake()) {
    takeTurn();
    return undefined;
  }
  const waiting = Effect.callback<undefined>((resume) => {
    const leave = queue.wait(() => {
      takeTurn();
      resume(Effect.succeed(undefined));
    });
    return Effect.sync(leave);
  });
  return deferEffect(
    Effect.matchCause(interruptible(waiting), {
      onSuccess: () => undefined,
      onFailure: (cause) => stopCall(call, toCauseOutcome(cause, registration.key)),
    }),
  );
};

const interruptAuthorization = (
  _services: CallServices,
  call: BoundCall,
  authorized: MaybeEffect<AuthorizationResult>,
  interruptible: RestoreInterruption,
): MaybeEffect<AuthorizationResult> => {
  if (!(authorized instanceof DeferredEffect)) return authorized;
  return deferEffect(
    Effect.matchCause(interruptible(authorized.effect), {
      onSuccess: (authorization) => authorization,
      onFailure: (cause) => stopWithOutcome(call, toCauseOutcome(cause, call.registration.key)),
    }),
  );
};

export const authorizeBound = (services: CallServices, bound: BoundCall): MaybeEffect<AuthorizationResult> =>
  stopOnThrow(bound, () => {
    const { approvers } = services.stackOf(bound.registration.tool, bound.request.layers);
    return authorizeCall(services, bound, approvers, (call, input) => reviseInput(services, call, input));
  });

export const reauthorize = (
  services: CallServices,
  call: PermittedCall,
  input: unknown,
  mode: ToolSpec["validate"] | undefined,
): MaybeEffect<PreparedCall> =>
  stopOnThrow(call, () => {
    const revised = withCallContext(services, call, () => reviseInput(services, call, input, mode));
    if (isStopped(revised)) return revised;
    return authorizeCall(services, revised, call.approvers, (each, edited) =>
      reviseInput(services, each, edited),
    );
  });

const runUserCode = <A>(services: CallServices, state: CallState, stage: () => A): A | StoppedCall =>
  stopOnThrow(state, () => withCallContext(services, state, stage));

const stopOnThrow = <A>(state: CallState, body: () => A): A | StoppedCall => {
  try {
    return body();
  } catch (cause) {
    const key = state.registration?.key ?? state.request.raw.tool;
    return stopWithOutcome(state, layerBrokeOutcome(key, cause));
  }
};

/** A broken layer or a cancellation cannot know whether the code ran. */
const stopWithOutcome = (state: CallState, outcome: Outcome): StoppedCall => {
  if (outcome._tag !== "failure") return stopCall(state, outcome);
  return stopCall(state, failed({ ...outcome.failure, ran: state.recorder.hasRun }, outcome.taints));
};
