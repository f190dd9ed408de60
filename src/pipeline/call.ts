import * as Clock from "effect/Clock";
import type * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { CallRequest } from "../types/call.ts";
import type { Failure } from "../types/failure.ts";
import { failed } from "../types/outcome.ts";
import { CurrentPrincipal } from "../types/principal.ts";
import type { Reply } from "../types/reply.ts";
import { announceStart } from "./7-record/announce.ts";
import { writeOpening } from "./7-record/record.ts";
import type { CallServices } from "./call-services.ts";
import {
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
 * One call, from what was asked to its reply. This is the order of the corridor, written once. Five steps hold the eight
 * stages that the documents number; each stage is a folder beside this file, and its function has the stage's name.
 *
 * 1. `openCall`   The ledger entry is written before anybody looks at the call. Then `announceStart` tells listeners.
 * 2. `prepare`    The first of these that applies stops the call. Stage 1, `hydrate`: it is not a call, because it has no
 *                 id or names no tool; there is no such tool, or its caller may not see it; its arguments cannot be
 *                 read; its arguments are invalid. Stage 2, `bind`: the tool has no implementation. Stage 3,
 *                 `authorize`: denied. What is allowed gets a grant, the right of this one call to start its code.
 * 3. `askPerson`  Only if authorize has a question for a person. It waits for the runtime's approver until the question
 *                 expires; a yes makes the grant, a no stops the call. Where there is no approver, or it leaves the
 *                 question open, nobody waits: the call is concluded as `pending`, with a reply that says so and an entry
 *                 that is closed once more later. Whoever answers then calls `resumeCall` (pending/resume-call.ts), which
 *                 goes on in `finishCall` and gives the final reply.
 * 4. `execute`    In this order: `refuseUnrecorded` refuses a call whose entry could not be opened. `writeStart` puts a
 *                 call of high risk on disk once more, and refuses it if that fails. `claimKeys`: where the caller's
 *                 key or the tool's key was used before, the outcome of that first call is replayed, or a failure says
 *                 that it is running, pending, unknown or had other arguments; nothing runs. If other calls of the run
 *                 started since policy decided, `startWithinBudget` asks it once more. `countStart` counts the call.
 *                 Then `runLayers`: stage 4, the layers, any of which may answer instead, and innermost the `gate`
 *                 (4-layers/gate.ts). The gate alone starts an attempt, which is one run of the code (stage 5, `run`), and
 *                 only from the grant. A tool that is not idempotent is started once. Code that stopped because calls of
 *                 its own wait for a person makes this call `pending` too: it is started again by `resumeCall`, or at once
 *                 by `goOnIfAnswered` if somebody has answered meanwhile.
 * 5. `conclude`   Stage 6, `check`: a value must fit the tool's output schema. Stage 7, `writeClosing`: the entry closes.
 *                 Stage 8, `toReply`. Every call comes to this, whatever happened before.
 *
 * Ledger down: a call whose entry could not be opened still goes through `prepare`. If it needs a person, `askPerson`
 * refuses it without asking. Else `refuseUnrecorded` refuses a tool that writes; one that only reads may run if the setting
 * `readsWithoutLedger` says so. If the entry cannot be closed, `conclude` replies with a failure that says so, in place of
 * the outcome.
 * Cancelled: only what is wrapped in `interruptible` can be interrupted: a model that repairs arguments and a policy that
 * asks somebody else (in `prepare`), a person who is asked, and the layers with the tool's code in them. There `toOutcome`
 * (4-layers/to-outcome.ts) makes `cancelled` the outcome of the call, which is concluded like any other. An interruption at
 * another time takes effect at the next of these places, or not at all if none is left.
 * The Effect never fails: whatever goes wrong is an outcome. A step that has its answer at once gives it as it is, else as a
 * `Later`: that is what `Eventually` and `andThen` are for.
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

/** From what `prepare` came to, to the reply: it was stopped, a person must be asked, or it was granted. */
export const finishCall = (
  services: CallServices,
  prepared: PreparedCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Reply> => {
  if (isStopped(prepared)) return conclude(services, prepared.state, prepared.outcome);
  if (isAwaitingApproval(prepared)) {
    // Gives a call that is granted or stopped, and never a question again.
    const answered = requestApproval(services, prepared, interruptible);
    return flatMapMaybe(answered, (call) => finishCall(services, call, interruptible));
  }
  const executed = executeCall(services, prepared, interruptible);
  return flatMapMaybe(executed, (outcome) => {
    const concluded = conclude(services, prepared, outcome);
    if (outcome._tag !== "pending") return concluded;
    return flatMapMaybe(concluded, (reply) => deferEffect(services.goOnIfAnswered(prepared, outcome, reply)));
  });
};

/** Recorded and answered, but never run: its turn ended before this call was started. */
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

/** Writes the opening of the entry. If the ledger is down, the state says so, and nothing that writes will run. */
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
