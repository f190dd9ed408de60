import * as Clock from "effect/Clock";
import type * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { CallRequest } from "../words/call.ts";
import type { Failure } from "../words/failure.ts";
import { failed, type Outcome } from "../words/outcome.ts";
import { CurrentPrincipal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import { announceStart } from "./7-record/announce.ts";
import { writeOpening } from "./7-record/record.ts";
import type { CallServices } from "./call-services.ts";
import {
  type CallOptions,
  type CallState,
  type GrantedCall,
  isQuestion,
  isStopped,
  newState,
} from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { andThen, type Eventually, type Interruptible, uninterruptible } from "./eventually.ts";
import { countStart, refuseUnrecorded, runLayers, writeStart } from "./execute.ts";
import { claimIdempotencyKey } from "./idempotency.ts";
import { askPerson } from "./pending/ask-person.ts";
import { type Prepared, prepare } from "./prepare.ts";

/**
 * One call, from what was asked to its reply. This is the order of the corridor, written once:
 *
 * 1. `openCall`   The ledger entry is written before anybody looks at the call. Then `announceStart` tells listeners.
 * 2. `prepare`    The first of these that applies stops the call. Stage 1, hydrate: it is not a call; there is no such
 *                 tool, or its caller may not see it; its arguments cannot be read; its arguments are invalid. Stage 2,
 *                 bind: the tool has no implementation. Stage 3, authorize: denied. What is allowed gets a grant.
 * 3. `askPerson`  Only if authorize has a question for a person. A yes makes the grant, a no stops the call. If nobody
 *                 answers at once, the call is concluded as `pending`: its entry says so and stays unfinished, and once a
 *                 person has answered, `resumeCall` goes on in `finishCall`, which gives the one final reply.
 * 4. `execute`    In this order: `refuseUnrecorded` refuses a call whose entry could not be opened. `writeStart` puts a
 *                 risky call on disk once more, and refuses it if that fails. `claimIdempotencyKey`: a key that was used
 *                 before gives what came of the first call under it, or a failure if that one is still under way or had
 *                 other arguments; nothing runs. Else `runLayers` runs stage 4, the layers, any of which may answer
 *                 instead, and innermost the `gate`. The gate alone starts an attempt (stage 5, run), only from the
 *                 grant, and a tool that is not idempotent only once.
 * 5. `conclude`   Stage 6, check: a value must keep the tool's promise. Stage 7, record: the entry closes. Stage 8,
 *                 reply. Every call comes to this, whatever happened before.
 *
 * Ledger down: a call whose entry could not be opened goes on to `refuseUnrecorded`. A tool that writes is refused
 * there, and a person is not asked about it; one that only reads may run if the setting `readsWithoutLedger` says so. If
 * the entry cannot be closed, `conclude` replies with a failure that says so, in place of the outcome.
 * Cancelled: only what is wrapped in `interruptible` can be interrupted: a model that repairs arguments (in `prepare`), a
 * person who is asked, and layers with their code. An interruption there makes `cancelled` the outcome of the call, which
 * is concluded like any other; one that comes at another time takes effect at the next of these places.
 * The Effect never fails: whatever goes wrong is an outcome.
 */
export const runCall = (
  services: CallServices,
  request: CallRequest,
  options?: CallOptions,
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
    // Granted or stopped: nobody asks a second time.
    const answered = askPerson(services, prepared, interruptible);
    return andThen(answered, (call) => finishCall(services, call, interruptible));
  }
  const executed = execute(services, prepared, interruptible);
  return andThen(executed, (outcome) => conclude(services, prepared, outcome));
};

/** What came of the code; or, in its place, why it does not run, or what came of it under the same key before. */
const execute = (
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
      countStart(call);
      return runLayers(services, call, interruptible);
    });
  });
};

/** Recorded and answered, but never run: its turn ended before this call was started. */
export const declineCall = (
  services: CallServices,
  request: CallRequest,
  failure: Failure,
  options?: CallOptions,
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
  options?: CallOptions,
): Eventually<CallState> => {
  const clock = fiber.getRef(Clock.Clock);
  const principal = request.principal ?? fiber.getRef(CurrentPrincipal);
  const state = newState(services, request, principal, clock, options);
  const written = writeOpening(services, request, principal, clock.currentTimeMillisUnsafe());
  return andThen(written, (ledgerError) => (ledgerError === undefined ? state : { ...state, ledgerError }));
};
