import * as Effect from "effect/Effect";
import { thrownMessage } from "../base/text/thrown-message.ts";
import type { CallRequest } from "../types/call.ts";
import type { Failure } from "../types/failure.ts";
import { failed, type Outcome, type Reply } from "../types/outcome.ts";
import { reviseInput } from "./1-hydrate/hydrate.ts";
import { bindCall } from "./2-bind/bind.ts";
import { toolGoneOutcome } from "./3-authorize/refusal-outcomes.ts";
import {
  announceStart,
  canRunUnrecorded,
  unrecordedOutcome,
  type WriteResult,
  writeAbandoned,
  writeHydrated,
  writeOpening,
} from "./7-record/record.ts";
import { finishCall, openCall } from "./call.ts";
import {
  type CallServices,
  type CallState,
  type HydratedCall,
  isAwaitingApproval,
  isStopped,
  type PipelineCallOptions,
  type StoppedCall,
  stopCall,
} from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { toRunningCall, withCallContextAsync } from "./current-call.ts";
import {
  flatMapMaybe,
  type MaybeEffect,
  type RestoreInterruption,
  runUninterruptible,
  toEffect,
} from "./maybe-effect.ts";
import { authorizeBound, authorizeHydrated, hydrateWithRepair, type PreparedCall } from "./prepare.ts";

export interface PausedCall {
  readonly kind: "paused";
  readonly state: HydratedCall;
  readonly instance: object | undefined;
  readonly resume: (params?: unknown) => Effect.Effect<Reply>;
}

export interface RefusedCall {
  readonly kind: "refused";
  readonly state: CallState;
  readonly reply: Reply;
}

/**
 * Runs the pipeline up to a pause that an orchestrator ends: after stage 1, or for class tools after stage 3,
 * because their constructor is code.
 */
export const hydrateOnly = (
  services: CallServices,
  request: CallRequest,
  options?: PipelineCallOptions,
): Effect.Effect<PausedCall | RefusedCall> =>
  runUninterruptible((fiber, interruptible) =>
    flatMapMaybe(openCall(services, request, fiber, options), (state) =>
      flatMapMaybe(hydrateWithRepair(services, { ...state, isTimed: true }, interruptible), (hydrated) =>
        isStopped(hydrated) ? concludeRefused(services, hydrated) : pauseCall(services, hydrated),
      ),
    ),
  );

export const refuseHydration = (
  services: CallServices,
  request: CallRequest,
  failure: Failure,
  options?: PipelineCallOptions,
): Effect.Effect<RefusedCall> =>
  runUninterruptible((fiber) =>
    flatMapMaybe(openCall(services, request, fiber, options), (state) =>
      concludeRefused(services, stopCall(state, failed(failure))),
    ),
  );

const concludeRefused = (
  services: CallServices,
  { state, outcome }: StoppedCall,
): MaybeEffect<RefusedCall> => {
  announceStart(services, state);
  return flatMapMaybe(
    conclude(services, state, outcome),
    (reply) => ({ kind: "refused", state, reply }) as const,
  );
};

const pauseCall = (services: CallServices, call: HydratedCall): MaybeEffect<PausedCall | RefusedCall> =>
  flatMapMaybe(authorizeConstructor(services, call), (permission) => {
    if (isStopped(permission)) return concludeRefused(services, permission);
    const { recorder, registration, ledgerError } = call;
    const { prepare } = registration.tool.implementation;
    const createsInstance = permission.isAllowed && prepare !== undefined;
    if (createsInstance) recorder.note("an instance of the tool's class is made");
    return flatMapMaybe(
      ledgerError === undefined ? writeHydrated(services, call) : undefined,
      (writeError) => {
        const error = ledgerError ?? writeError;
        if (createsInstance && error !== undefined && !canRunUnrecorded(services, call, error)) {
          return concludeRefused(services, stopCall(call, unrecordedOutcome(registration.key, error, false)));
        }
        const instance = createsInstance ? constructInstance(services, call, prepare) : undefined;
        if (instance !== undefined && "outcome" in instance) {
          return flatMapMaybe(reopenEntry(services, call), (again) =>
            concludeRefused(services, stopCall(again, instance.outcome)),
          );
        }
        return toPausedCall(services, { ...call, ledgerError: error }, instance?.made);
      },
    );
  });

interface ConstructorPermission {
  readonly isAllowed: boolean;
}

const authorizeConstructor = (
  services: CallServices,
  call: HydratedCall,
): MaybeEffect<ConstructorPermission | StoppedCall> => {
  if (call.registration.tool.implementation.prepare === undefined) return { isAllowed: false };
  const bound = bindCall(call);
  if (isStopped(bound)) return bound;
  return flatMapMaybe(authorizeBound(services, bound), (prepared) =>
    isStopped(prepared) ? prepared : { isAllowed: !isAwaitingApproval(prepared) },
  );
};

const constructInstance = (
  services: CallServices,
  call: HydratedCall,
  prepare: (input: unknown) => object,
): { readonly made: object } | { readonly outcome: Outcome } => {
  const { registration, input, transformed } = call;
  try {
    return {
      made: withCallContextAsync(toRunningCall(services, call), () =>
        prepare(transformed === undefined ? input : transformed.value),
      ),
    };
  } catch (cause) {
    const message = `The tool "${registration.key}" could not be prepared: ${thrownMessage(cause)}`;
    return { outcome: failed({ code: "failed", tool: registration.key, ran: true, message, cause }) };
  }
};

const toPausedCall = (
  services: CallServices,
  call: HydratedCall,
  instance: object | undefined,
): PausedCall => {
  const paused: PausedCall = {
    kind: "paused",
    state: call,
    instance,
    resume: (params) => {
      abandonedCalls.unregister(paused);
      return resumePaused(services, call, params);
    },
  };
  if (call.ledgerError === undefined)
    abandonedCalls.register(paused, abandonedEntryWriter(services, call), paused);
  return paused;
};

/** Separate, because a closure over the paused call would keep it alive. */
const abandonedEntryWriter = (services: CallServices, state: CallState) => (): WriteResult =>
  writeAbandoned(services, state);

/** Closes the entries of paused calls that are garbage collected. */
const abandonedCalls = new FinalizationRegistry<() => WriteResult>((close) => {
  const written = close();
  Effect.runFork(toEffect(written));
});

const resumePaused = (services: CallServices, call: HydratedCall, params: unknown): Effect.Effect<Reply> =>
  runUninterruptible((_, interruptible) =>
    flatMapMaybe(reopenEntry(services, call), (reopened) => {
      announceStart(services, reopened);
      return flatMapMaybe(authorizePaused(services, reopened, params, interruptible), (prepared) =>
        finishCall(services, prepared, interruptible),
      );
    }),
  );

const reopenEntry = (services: CallServices, call: HydratedCall): MaybeEffect<HydratedCall> => {
  const { clock, request, principal, ledgerError } = call;
  const state = { ...call, startedAt: clock.monotonicTimeNanosUnsafe() };
  if (ledgerError !== undefined) return state;
  const reopenedRequest = { ...request, isAgain: true };
  const written = writeOpening(services, reopenedRequest, principal, clock.currentTimeMillisUnsafe());
  return flatMapMaybe(written, (writeError) =>
    writeError === undefined ? state : { ...state, ledgerError: writeError },
  );
};

/**
 * Checks again that the tool is registered and the caller is allowed, because both can have changed since
 * stage 1.
 */
const authorizePaused = (
  services: CallServices,
  call: HydratedCall,
  params: unknown,
  interruptible: RestoreInterruption,
): MaybeEffect<PreparedCall> => {
  const { key, origin } = call.registration;
  if (origin !== "agent" && !services.registry.holds(call.registration)) {
    return stopCall(call, toolGoneOutcome(key));
  }
  if (params === undefined) return authorizeHydrated(services, call, interruptible);
  const bound = bindCall(call);
  if (isStopped(bound)) return bound;
  const revised = reviseInput(services, bound, params);
  return isStopped(revised) ? revised : authorizeHydrated(services, revised, interruptible);
};
