import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { Approver } from "../words/approval.ts";
import type { CallRequest } from "../words/call.ts";
import type { Failure } from "../words/failure.ts";
import { failed } from "../words/outcome.ts";
import type { Reply } from "../words/reply.ts";
import { hydrate } from "./1-hydrate/hydrate.ts";
import { bind } from "./2-bind/bind.ts";
import { announceStart } from "./7-record/announce.ts";
import { openCall } from "./call.ts";
import type { CallServices } from "./call-services.ts";
import {
  type CallState,
  isQuestion,
  isStopped,
  newState,
  type RawCallOptions,
  type UnansweredCall,
} from "./call-state.ts";
import { conclude } from "./conclude.ts";
import { answerInside } from "./current-call.ts";
import { andThen, toEffect, uninterruptible } from "./eventually.ts";
import { askPerson, findStanding } from "./pending/ask-person.ts";
import { authorizeBound, prepare } from "./prepare.ts";
import { closeRecorder } from "./recorder.ts";

/**
 * Whether a person would have to answer before this call ran, and nobody is at hand who could. Stages 1 to 3 without a
 * trace: nothing is written, nothing runs, and what is allowed here is asked for again when the call is made.
 */
export const wouldAsk = (services: CallServices, request: CallRequest): Effect.Effect<boolean> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(Approver) !== undefined) return Effect.succeed(false);
    const clock = fiber.getRef(Clock.Clock);
    const state = newState(services, request, request.principal, clock);
    const asked = Effect.flatMap(questionOf(services, state), (question) =>
      question === undefined ? Effect.succeed(false) : needsAnswer(services, question, clock),
    );
    // What breaks here breaks again when the call is made, and is told there.
    const guarded = Effect.matchCause(asked, { onSuccess: (each) => each, onFailure: () => false });
    return Effect.ensuring(
      guarded,
      Effect.sync(() => closeRecorder(state.recorder)),
    );
  });

const questionOf = (services: CallServices, state: CallState): Effect.Effect<UnansweredCall | undefined> =>
  Effect.suspend(() => {
    const hydrated = answerInside(services, state, () => hydrate(services, state));
    const bound = isStopped(hydrated) ? hydrated : bind(hydrated);
    if (isStopped(bound)) return Effect.succeed(undefined);
    return Effect.map(toEffect(authorizeBound(services, bound)), (authorized) =>
      isQuestion(authorized) ? authorized : undefined,
    );
  });

const needsAnswer = (
  services: CallServices,
  { call, isNew }: UnansweredCall,
  clock: Clock.Clock,
): Effect.Effect<boolean> =>
  isNew
    ? Effect.succeed(true)
    : Effect.map(
        findStanding(services, call, clock.currentTimeMillisUnsafe()),
        (standing) => standing === undefined,
      );

/**
 * Makes a call as far as its question: what needs a person waits from then on. Nothing is started, whatever policy or a layer
 * says this time: a call that turns out to need nobody is closed, and is made when it is asked for.
 */
export const askOnly = (
  services: CallServices,
  request: CallRequest,
  options?: RawCallOptions,
): Effect.Effect<Reply> =>
  uninterruptible((fiber, interruptible) => {
    const prepared = andThen(openCall(services, request, fiber, options), (state) => {
      announceStart(services, state);
      return prepare(services, state, interruptible);
    });
    const asked = andThen(prepared, (call) =>
      isQuestion(call) ? askPerson(services, call, interruptible) : call,
    );
    return andThen(asked, (call) =>
      isStopped(call)
        ? conclude(services, call.state, call.outcome)
        : conclude(services, call, failed(needsNobody(call.registration.key))),
    );
  });

const needsNobody = (tool: string): Failure => ({
  code: "not_answered",
  tool,
  ran: false,
  message: `It was asked whether a person must answer before the call of "${tool}", and by then nobody had to.`,
});
