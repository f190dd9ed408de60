import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { Approver } from "../types/approval.ts";
import type { CallRequest } from "../types/call.ts";
import type { Failure } from "../types/failure.ts";
import { failed, type Reply } from "../types/outcome.ts";
import { hydrateCall } from "./1-hydrate/hydrate.ts";
import { bindCall } from "./2-bind/bind.ts";
import { announceStart } from "./7-record/record.ts";
import { openCall } from "./call.ts";
import {
  type CallAwaitingApproval,
  type CallServices,
  type CallState,
  isAwaitingApproval,
  isStopped,
  newCallState,
  type PipelineCallOptions,
} from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { withCallContext } from "./current-call.ts";
import { flatMapMaybe, runUninterruptible, toEffect } from "./maybe-effect.ts";
import { findGrant, requestApproval } from "./pending/request-approval.ts";
import { authorizeBound, prepareCall } from "./prepare.ts";

/**
 * Runs stages 1 to 3 without recording or starting anything; the call is authorized again when it is made.
 */
export const requiresApproval = (services: CallServices, request: CallRequest): Effect.Effect<boolean> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(Approver) !== undefined) return Effect.succeed(false);
    const clock = fiber.getRef(Clock.Clock);
    const state = newCallState(services, request, request.principal, clock);
    const isRequired = Effect.flatMap(findRequiredApproval(services, state), (awaitingApproval) =>
      awaitingApproval === undefined
        ? Effect.succeed(false)
        : isGrantMissing(services, awaitingApproval, clock),
    );
    const guarded = Effect.matchCause(isRequired, { onSuccess: (each) => each, onFailure: () => false });
    return Effect.ensuring(
      guarded,
      Effect.sync(() => state.recorder.close()),
    );
  });

const findRequiredApproval = (
  services: CallServices,
  state: CallState,
): Effect.Effect<CallAwaitingApproval | undefined> =>
  Effect.suspend(() => {
    const hydrated = withCallContext(services, state, () => hydrateCall(services, state));
    const bound = isStopped(hydrated) ? hydrated : bindCall(hydrated);
    if (isStopped(bound)) return Effect.succeed(undefined);
    return Effect.map(toEffect(authorizeBound(services, bound)), (authorized) =>
      isAwaitingApproval(authorized) ? authorized : undefined,
    );
  });

const isGrantMissing = (
  services: CallServices,
  { call, isNew }: CallAwaitingApproval,
  clock: Clock.Clock,
): Effect.Effect<boolean> =>
  isNew
    ? Effect.succeed(true)
    : Effect.map(
        findGrant(services, call, clock.currentTimeMillisUnsafe()),
        (grantId) => grantId === undefined,
      );

/** If no approval is required after all, the entry closes and the call can be made later. */
export const requestApprovalOnly = (
  services: CallServices,
  request: CallRequest,
  options?: PipelineCallOptions,
): Effect.Effect<Reply> =>
  runUninterruptible((fiber, interruptible) => {
    const prepared = flatMapMaybe(openCall(services, request, fiber, options), (state) => {
      announceStart(services, state);
      return prepareCall(services, state, interruptible);
    });
    const asked = flatMapMaybe(prepared, (call) =>
      isAwaitingApproval(call) ? requestApproval(services, call, interruptible) : call,
    );
    return flatMapMaybe(asked, (call) =>
      isStopped(call)
        ? conclude(services, call.state, call.outcome)
        : conclude(services, call, failed(approvalNotNeeded(call.registration.key))),
    );
  });

const approvalNotNeeded = (tool: string): Failure => ({
  code: "not_answered",
  tool,
  ran: false,
  message: `The call of "${tool}" was checked for approval requirements, and no approval was required at that time.`,
});
