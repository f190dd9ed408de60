import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { definitionHash } from "../../tools/tool-definition.ts";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  Approver,
  type ApproverService,
} from "../../types/approval.ts";
import { pending } from "../../types/outcome.ts";
import { type Principal, quotaOwnerOf } from "../../types/principal.ts";
import { approvalRequiredOutcome } from "../3-authorize/refusal-outcomes.ts";
import { approverFailedOutcome } from "../4-layers/gate.ts";
import {
  type BoundCall,
  type CallAwaitingApproval,
  type CallServices,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { claimKeys } from "../claim-keys.ts";
import { withCallContext } from "../current-call.ts";
import {
  deferEffect,
  flatMapMaybe,
  loadOnDemand,
  type MaybeEffect,
  type RestoreInterruption,
} from "../maybe-effect.ts";
import { notifyObserver } from "../notify-observer.ts";

const earlierCallModule = loadOnDemand(() => import("./describe-earlier-call.ts"));

/** Beyond these limits a call is pending only in a durable ledger, or refused. */
const maxPendingCalls = 10_000;
const maxPendingCallsPerOwner = 1_000;

const isFull = (waiting: CallServices["pendingCalls"], principal: Principal): boolean => {
  if (waiting.size < maxPendingCallsPerOwner) return false;
  if (waiting.size >= maxPendingCalls) return true;
  const owner = quotaOwnerOf(principal);
  let count = 0;
  for (const { call } of waiting.values()) if (quotaOwnerOf(call.principal) === owner) count += 1;
  return count >= maxPendingCallsPerOwner;
};

/**
 * Requests approval of a call. A grant counts unless the request has a reason that the grant did not cover.
 * Without an answer the call is pending. Unrecorded calls cannot become pending, and replayed calls need no
 * approval.
 */
export const requestApproval = (
  services: CallServices,
  question: CallAwaitingApproval,
  interruptible: RestoreInterruption,
): MaybeEffect<PermittedCall | StoppedCall> => {
  const { call, reason } = question;
  if (call.ledgerError !== undefined) return stopCall(call, approvalRequiredOutcome(call, reason));
  const asked = Effect.matchCause(interruptible(findOrRequestApproval(services, question)), {
    onSuccess: (answer) => answer,
    onFailure: (cause) =>
      stopCall(
        call,
        withCallContext(services, call, () => approverFailedOutcome(cause, call.registration.key)),
      ),
  });
  return flatMapMaybe(claimKeys(services, call, interruptible), (replayed) =>
    replayed === undefined ? deferEffect(asked) : stopCall(call, replayed),
  );
};

const findOrRequestApproval = (
  services: CallServices,
  question: CallAwaitingApproval,
): Effect.Effect<PermittedCall | StoppedCall> =>
  Effect.withFiber((fiber) => {
    const approver = fiber.getRef(Approver);
    const { call, reason } = question;
    const { isDurable } = services.approvals;
    const refused = stopCall(call, approvalRequiredOutcome(call, reason));
    if (approver === undefined && !isDurable) return Effect.succeed(refused);
    const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
    return Effect.flatMap(question.isNew ? noAnswer : findGrant(services, call, at), (grantId) => {
      if (grantId !== undefined) {
        call.recorder.note(`approval: ${grantId} holds for this call too`);
        return Effect.flatMap(decisionModule, ({ applyDecision }) =>
          applyDecision(services, question, { kind: "allow" }),
        );
      }
      const { pendingCalls } = services;
      if (!isDurable && isFull(pendingCalls, call.principal)) return Effect.succeed(refused);
      const earlier = Effect.flatMap(earlierCallModule, ({ describeEarlierCall }) =>
        describeEarlierCall(services, call, at),
      );
      return Effect.flatMap(earlier, (note) => {
        const request = toApprovalRequest(services, withNote(question, note), at);
        return Effect.flatMap(
          approver === undefined ? noAnswer : askApproverInTime(services, approver, request),
          (answer) => {
            if (answer !== undefined) {
              return Effect.flatMap(decisionModule, ({ applyDecision, approvalExpiredOutcome }) =>
                answer === expiredAnswer
                  ? Effect.succeed(stopCall(call, approvalExpiredOutcome(request)))
                  : applyDecision(services, question, answer, request),
              );
            }
            // Other calls may have become pending meanwhile.
            const hasRoom = !isFull(pendingCalls, call.principal);
            if (!hasRoom && !isDurable) return Effect.succeed(refused);
            if (hasRoom) pendingCalls.set(request.id, question);
            return Effect.succeed(stopCall(call, pending(withApprovalTrace(services, call, request))));
          },
        );
      });
    });
  });

const decisionModule = loadOnDemand(() => import("./apply-decision.ts"));

const withNote = (question: CallAwaitingApproval, note: string | undefined): CallAwaitingApproval =>
  note === undefined ? question : { ...question, reason: `${question.reason}. ${note}` };

const withApprovalTrace = (
  services: CallServices,
  call: BoundCall,
  request: ApprovalRequest,
): ApprovalRequest => {
  const trace = notifyObserver(services, call.request, (observer) =>
    observer.waits(call, services.redactor.text),
  );
  return trace === undefined ? request : { ...request, trace };
};

const noAnswer = Effect.succeed(undefined);

const expiredAnswer = Symbol("the time to answer has expired");
const maxTimerMs = 2 ** 31 - 1;

const askApproverInTime = (
  { settings }: CallServices,
  approver: ApproverService,
  request: ApprovalRequest,
): Effect.Effect<ApprovalDecision | typeof expiredAnswer | undefined> => {
  const inTime = Effect.timeoutOrElse(approver.ask(request), {
    duration: Math.min(settings.approvalsExpireMs, maxTimerMs),
    orElse: () => Effect.succeed(expiredAnswer),
  });
  return Effect.flatMap(inTime, (answer) =>
    Effect.clockWith((clock) => {
      const isOver = clock.currentTimeMillisUnsafe() > (request.expiresAt ?? Number.POSITIVE_INFINITY);
      return Effect.succeed(answer !== undefined && isOver ? expiredAnswer : answer);
    }),
  );
};

/** If the ledger cannot be read, approval is requested again. */
export const findGrant = (
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

const toApprovalRequest = (
  { newId, settings }: CallServices,
  { call, reason }: CallAwaitingApproval,
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
