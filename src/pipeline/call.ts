import * as Clock from "effect/Clock";
import type * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { CallRequest } from "../words/call.ts";
import type { Failure } from "../words/failure.ts";
import { failed } from "../words/outcome.ts";
import { CurrentPrincipal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import { announceStart } from "./7-record/announce.ts";
import { writeOpening } from "./7-record/record.ts";
import type { CallServices } from "./call-services.ts";
import { type CallState, isQuestion, isStopped, newState, type RawCallOptions } from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { andThen, type Eventually, type Interruptible, later, uninterruptible } from "./eventually.ts";
import { execute } from "./execute.ts";
import { askPerson } from "./pending/ask-person.ts";
import { type Prepared, prepare } from "./prepare.ts";

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
 *                 call of high risk on disk once more, and refuses it if that fails. `claimIdempotencyKey`: a key that
 *                 was used before gives what came of the first call under it, a failure too, or a failure of its own if
 *                 that one is still under way, waits, or had other arguments; nothing runs. `countStart` counts the call.
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
  options?: RawCallOptions,
): Effect.Effect<Reply> =>
  uninterruptible((fiber, interruptible) => {
    const opened = openCall(services, request, fiber, options);
    const prepared = andThen(opened, (state) => {
      announceStart(services, state);
      return prepare(services, state, interruptible);
    });
    return andThen(prepared, (call) => finishCall(services, call, interruptible));
  });

/** From what `prepare` came to, to the reply: it was stopped, a person must be asked, or it was granted. */
export const finishCall = (
  services: CallServices,
  prepared: Prepared,
  interruptible: Interruptible,
): Eventually<Reply> => {
  if (isStopped(prepared)) return conclude(services, prepared.state, prepared.outcome);
  if (isQuestion(prepared)) {
    // Gives a call that is granted or stopped, and never a question again.
    const answered = askPerson(services, prepared, interruptible);
    return andThen(answered, (call) => finishCall(services, call, interruptible));
  }
  const executed = execute(services, prepared, interruptible);
  return andThen(executed, (outcome) => {
    const concluded = conclude(services, prepared, outcome);
    if (outcome._tag !== "pending") return concluded;
    return andThen(concluded, (reply) => later(services.goOnIfAnswered(prepared, outcome, reply)));
  });
};

/** Recorded and answered, but never run: its turn ended before this call was started. */
export const declineCall = (
  services: CallServices,
  request: CallRequest,
  failure: Failure,
  options?: RawCallOptions,
): Effect.Effect<Reply> =>
  uninterruptible((fiber) =>
    andThen(openCall(services, request, fiber, options), (state) => {
      announceStart(services, state);
      return conclude(services, state, failed(failure));
    }),
  );

/** Writes the opening of the entry. If the ledger is down, the state says so, and nothing that writes will run. */
export const openCall = (
  services: CallServices,
  request: CallRequest,
  fiber: Fiber<unknown, unknown>,
  options?: RawCallOptions,
): Eventually<CallState> => {
  const clock = fiber.getRef(Clock.Clock);
  const principal = request.principal ?? fiber.getRef(CurrentPrincipal);
  const state = newState(services, request, principal, clock, options);
  const written = writeOpening(services, request, principal, clock.currentTimeMillisUnsafe());
  return andThen(written, (ledgerError) => (ledgerError === undefined ? state : { ...state, ledgerError }));
};
