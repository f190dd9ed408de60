import * as Clock from "effect/Clock";
import type * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { CallRequest } from "../types/call.ts";
import type { Failure } from "../types/failure.ts";
import { failed, type Reply } from "../types/outcome.ts";
import { CurrentPrincipal } from "../types/principal.ts";
import { announceStart, writeOpening } from "./7-record/record.ts";
import {
  type CallServices,
  type CallState,
  isAwaitingApproval,
  isStopped,
  newCallState,
  type PipelineCallOptions,
} from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { executeCall } from "./execute.ts";
import {
  deferEffect,
  flatMapMaybe,
  type MaybeEffect,
  type RestoreInterruption,
  runUninterruptible,
} from "./maybe-effect.ts";
import { requestApproval } from "./pending/request-approval.ts";
import { type PreparedCall, prepareCall } from "./prepare.ts";

/**
 * Takes one call from request to reply. This function and `finishCall` write the order of the pipeline; each
 * stage is a folder next to this file.
 *
 * 1. `openCall` opens the ledger entry before the call is examined.
 * 2. `prepareCall`: stages 1 hydrate, 2 bind, 3 authorize. The result is a permit, a call that awaits
 *    approval, or the first failure.
 * 3. `requestApproval`, only if approval is required. It claims the keys, so that a repeated call needs no
 *    approval. An answer gives a permit or a refusal. Without an answer the call is concluded as `pending`;
 *    `resumeCall` (pending/resume-call.ts) later continues it in `finishCall`.
 * 4. `executeCall` refuses unrecorded calls, writes the start of risky calls to disk, claims the keys,
 *    enforces the budget, and runs stages 4 layers and 5 run. A repeated key replays the recorded outcome, or
 *    refuses the call.
 * 5. `conclude`: stages 6 check, 7 record, 8 reply. Every call reaches it.
 *
 * The Effect never fails: every failure is an outcome. It is uninterruptible except for steps wrapped in
 * `interruptible`, such as policy, approval, layers and code. A cancelled call is concluded like any other.
 *
 * If the ledger is unavailable, no approval is requested, and tools that write do not run. If the entry
 * cannot be closed, the reply is a failure. The setting `readsWithoutLedger` exempts tools that only read.
 */
export const runCall = (
  services: CallServices,
  request: CallRequest,
  options?: PipelineCallOptions,
): Effect.Effect<Reply> =>
  runUninterruptible((fiber, interruptible) => {
    const opened = openCall(services, request, fiber, options);
    const prepared = flatMapMaybe(opened, (state) => {
      announceStart(services, state);
      return prepareCall(services, state, interruptible);
    });
    return flatMapMaybe(prepared, (call) => finishCall(services, call, interruptible));
  });

export const finishCall = (
  services: CallServices,
  prepared: PreparedCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Reply> => {
  if (isStopped(prepared)) return conclude(services, prepared.state, prepared.outcome);
  if (isAwaitingApproval(prepared)) {
    const answered = requestApproval(services, prepared, interruptible);
    return flatMapMaybe(answered, (call) => finishCall(services, call, interruptible));
  }
  const executed = executeCall(services, prepared, interruptible);
  return flatMapMaybe(executed, (outcome) => {
    const concluded = conclude(services, prepared, outcome);
    if (outcome._tag !== "pending") return concluded;
    return flatMapMaybe(concluded, (reply) =>
      deferEffect(services.resumeIfAnswered(prepared, outcome, reply)),
    );
  });
};

/** Records and answers a call that never runs, because its turn ended before it started. */
export const declineCall = (
  services: CallServices,
  request: CallRequest,
  failure: Failure,
  options?: PipelineCallOptions,
): Effect.Effect<Reply> =>
  runUninterruptible((fiber) =>
    flatMapMaybe(openCall(services, request, fiber, options), (state) => {
      announceStart(services, state);
      return conclude(services, state, failed(failure));
    }),
  );

export const openCall = (
  services: CallServices,
  request: CallRequest,
  fiber: Fiber<unknown, unknown>,
  options?: PipelineCallOptions,
): MaybeEffect<CallState> => {
  const clock = fiber.getRef(Clock.Clock);
  const principal = request.principal ?? fiber.getRef(CurrentPrincipal);
  const state = newCallState(services, request, principal, clock, options);
  const writeResult = writeOpening(services, request, principal, clock.currentTimeMillisUnsafe());
  return flatMapMaybe(writeResult, (ledgerError) =>
    ledgerError === undefined ? state : { ...state, ledgerError },
  );
};
