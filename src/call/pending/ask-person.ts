import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { definitionHash } from "../../tool/definition-hash.ts";
import {
  type ApprovalDecision,
  type ApprovalDesk,
  type ApprovalRequest,
  Approver,
} from "../../words/approval.ts";
import { pending } from "../../words/outcome.ts";
import { needsPerson } from "../3-authorize/refuse.ts";
import { notAsked } from "../4-layers/to-outcome.ts";
import type { CallServices } from "../call-services.ts";
import {
  type BoundCall,
  type GrantedCall,
  type Stopped,
  stopped,
  type UnansweredCall,
} from "../call-state.ts";
import { answerInside } from "../current-call.ts";
import { andThen, type Eventually, type Interruptible, later } from "../eventually.ts";
import { claimIdempotencyKey } from "../idempotency.ts";
import { observe } from "../observe.ts";
import { applyDecision } from "./apply-decision.ts";
import { expired } from "./refusals.ts";

/** So many may wait in memory at once; whoever comes then is refused, or waits in the ledger alone. */
const mostWaiting = 10_000;

/**
 * Puts a question before a person. A yes that was given before for all calls like this one counts, unless there is a
 * reason it did not know of. Without an answer the call is pending. What is not on record cannot wait, and nobody is
 * asked about a call that was made before.
 */
export const askPerson = (
  services: CallServices,
  question: UnansweredCall,
  interruptible: Interruptible,
): Eventually<GrantedCall | Stopped> => {
  const { call, reason } = question;
  if (call.ledgerError !== undefined) return stopped(call, needsPerson(call, reason));
  const asked = Effect.matchCause(interruptible(ask(services, question)), {
    onSuccess: (answer) => answer,
    onFailure: (cause) =>
      stopped(
        call,
        answerInside(services, call, () => notAsked(cause, call.registration.key)),
      ),
  });
  return andThen(claimIdempotencyKey(services, call), (earlier) =>
    earlier === undefined ? later(asked) : stopped(call, earlier),
  );
};

const ask = (services: CallServices, question: UnansweredCall): Effect.Effect<GrantedCall | Stopped> =>
  Effect.withFiber((fiber) => {
    const desk = fiber.getRef(Approver);
    const { call, reason } = question;
    const { isDurable } = services.approvals;
    const refused = stopped(call, needsPerson(call, reason));
    if (desk === undefined && !isDurable) return Effect.succeed(refused);
    const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
    return Effect.flatMap(question.isNew ? nobody : findStanding(services, call, at), (standing) => {
      if (standing !== undefined) {
        call.recorder.note(`approval: ${standing} holds for this call too`);
        return applyDecision(services, question, { kind: "allow" });
      }
      if (services.waiting.size >= mostWaiting && !isDurable) return Effect.succeed(refused);
      const request = toRequest(services, question, at);
      return Effect.flatMap(desk === undefined ? nobody : answerInTime(services, desk, request), (answer) => {
        if (answer === tooLate) return Effect.succeed(stopped(call, expired(request)));
        if (answer !== undefined) return applyDecision(services, question, answer, request);
        if (services.waiting.size < mostWaiting) services.waiting.set(request.id, question);
        return Effect.succeed(stopped(call, pending(withTrace(services, call, request))));
      });
    });
  });

/** Whoever goes on with it later may be another process, in another trace. */
const withTrace = (services: CallServices, call: BoundCall, request: ApprovalRequest): ApprovalRequest => {
  const trace = observe(services, call.request, (observer) => observer.waits(call));
  return trace === undefined ? request : { ...request, trace };
};

const nobody = Effect.succeed(undefined);

const tooLate = Symbol("the time to answer is over");
/** A timer cannot wait for longer. */
const longestWait = 2 ** 31 - 1;

/** What an approver says at once, or nothing where the call is to wait. What comes when its time is over counts for nothing. */
const answerInTime = (
  { settings }: CallServices,
  desk: ApprovalDesk,
  request: ApprovalRequest,
): Effect.Effect<ApprovalDecision | typeof tooLate | undefined> => {
  const inTime = Effect.timeoutOrElse(desk.ask(request), {
    duration: Math.min(settings.approvalsExpireMs, longestWait),
    orElse: () => Effect.succeed(tooLate),
  });
  return Effect.flatMap(inTime, (answer) =>
    Effect.clockWith((clock) => {
      const isOver = clock.currentTimeMillisUnsafe() > (request.expiresAt ?? Number.POSITIVE_INFINITY);
      return Effect.succeed(answer !== undefined && isOver ? tooLate : answer);
    }),
  );
};

/** A yes from before that holds for this call. A ledger that cannot be read says nothing: then a person is asked. */
export const findStanding = (
  { approvals }: CallServices,
  { registration, spec, principal, request }: BoundCall,
  at: number,
): Effect.Effect<string | undefined> => {
  const call = {
    tool: registration.key,
    definition: definitionHash(spec),
    runId: request.scope.id,
    principal,
    at,
  };
  return Effect.match(approvals.standing(call), {
    onSuccess: (record) => record?.id,
    onFailure: () => undefined,
  });
};

const toRequest = (
  { newId, settings }: CallServices,
  { call, reason }: UnansweredCall,
  at: number,
): ApprovalRequest => ({
  id: newId(),
  callId: call.request.raw.id,
  runId: call.request.scope.id,
  tool: call.registration.key,
  principal: call.principal,
  input: call.input,
  reason,
  askedAt: at,
  expiresAt: at + settings.approvalsExpireMs,
});
