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
import { type CallOptions, type CallState, isQuestion, isStopped, newState } from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { andThen, type Eventually, type Interruptible, uninterruptible } from "./eventually.ts";
import { claimBeforeStart, runLayers } from "./execute.ts";
import { askPerson } from "./pending/ask-person.ts";
import { type Prepared, prepare } from "./prepare.ts";

/**
 * One call, from what was asked to its one reply. This is the order of the corridor, written once:
 *
 * - open      The ledger entry is written before anybody looks at the call.
 * - prepare   1 hydrate, 2 bind, 3 authorize. The first of these stops the call, in this order: it is no call, no such
 *             tool or not visible to its caller, arguments that cannot be read, invalid arguments, no code, denied.
 * - a person  If authorize answers with a question, a person is asked; without an answer the call ends `pending`.
 * - execute   A key that was used before gives what came of the first call. Then 4 layers and, innermost, the gate, which
 *             alone starts an attempt of 5 run, from the grant that stage 3 sealed.
 * - conclude  6 check the output, 7 close the entry, 8 reply. Always, whatever happened before, and only once.
 *
 * Ledger down: what writes is refused after authorize and never runs; what only reads may run if a setting says so.
 * Cancelled: only waiting for a person, a mender, or layers and code can be interrupted; the call then concludes as
 * `cancelled`. Nothing here fails: whatever goes wrong is an outcome.
 */
export const runCall = (
  services: CallServices,
  request: CallRequest,
  options: RunCallOptions = {},
): Effect.Effect<Reply> =>
  uninterruptible((fiber, interruptible) =>
    andThen(openCall(services, request, fiber, options), (state) => {
      announceStart(services, state);
      return andThen(prepare(services, state, interruptible), (prepared) =>
        andThen(complete(services, prepared, interruptible), (reply) => {
          options.onReply?.(reply);
          return reply;
        }),
      );
    }),
  );

export interface RunCallOptions extends CallOptions {
  /** Gets the reply also where whoever waited for it was interrupted. */
  readonly onReply?: (reply: Reply) => void;
}

/** From what `prepare` came to, to the reply. A call that was pending goes on here once a person has answered. */
export const complete = (
  services: CallServices,
  prepared: Prepared,
  interruptible: Interruptible,
): Eventually<Reply> => {
  if (isStopped(prepared)) return conclude(services, prepared.state, prepared.outcome);
  if (isQuestion(prepared)) {
    return andThen(askPerson(services, prepared, interruptible), (answered) =>
      complete(services, answered, interruptible),
    );
  }
  return andThen(claimBeforeStart(services, prepared), (instead) =>
    instead === undefined
      ? andThen(runLayers(services, prepared, interruptible), (outcome) =>
          conclude(services, prepared, outcome),
        )
      : conclude(services, prepared, instead),
  );
};

/** Seen and answered, but not run: the turn ended before its time came. */
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
