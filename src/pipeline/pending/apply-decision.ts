import * as Effect from "effect/Effect";
import type {
  ApprovalDecision,
  ApprovalRecord,
  ApprovalRequest,
  TakeApprovalResult,
} from "../../types/approval.ts";
import { ToolApprovalError } from "../../types/errors.ts";
import type { FailureCode } from "../../types/failures.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { reviseInput } from "../1-hydrate/hydrate.ts";
import { consultApprovers, decidePolicy, issuePermit } from "../3-authorize/authorize.ts";
import { approvalDeniedOutcome, deniedOutcome, toolGoneOutcome } from "../3-authorize/refusal-outcomes.ts";
import {
  type BoundCall,
  type CallAwaitingApproval,
  type CallServices,
  isStopped,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { withCallContext } from "../current-call.ts";
import { flatMapMaybe, type MaybeEffect, toEffect } from "../maybe-effect.ts";
import { recordApprovedCall } from "../recorder.ts";

/**
 * Policy and approval layers decide again, because rights can have changed; an approval does not override a
 * denial.
 */
export const applyDecision = (
  services: CallServices,
  question: CallAwaitingApproval,
  answer: ApprovalDecision,
  request?: ApprovalRequest,
): Effect.Effect<PermittedCall | StoppedCall> =>
  toEffect(applyReadDecision(services, question, readDecision(answer), request));

const applyReadDecision = (
  services: CallServices,
  { call, reason, approvers }: CallAwaitingApproval,
  answer: ApprovalDecision,
  request: ApprovalRequest | undefined,
): MaybeEffect<PermittedCall | StoppedCall> => {
  const { registration } = call;
  if (!isDecision(answer))
    return stopCall(call, approvalDeniedOutcome(registration.key, unreadableDecisionText));
  if (isSessionMissing(answer, call.principal)) {
    return stopCall(call, approvalDeniedOutcome(registration.key, noSessionMessage));
  }
  if (answer.kind === "deny") return stopCall(call, approvalDeniedOutcome(registration.key, answer.reason));
  if (registration.origin !== "agent" && !services.registry.holds(registration)) {
    return stopCall(call, toolGoneOutcome(registration.key));
  }
  const revise = (each: BoundCall, input: unknown) => reviseInput(services, each, input);
  const edited = answer.kind === "edit" ? revise(call, answer.input) : call;
  if (isStopped(edited)) return edited;
  const consulted = withCallContext(services, edited, () => consultApprovers(edited, approvers, revise));
  if (isStopped(consulted)) return consulted;
  return flatMapMaybe(decidePolicy(services, consulted.call), (decision) => {
    if (decision.effect === "deny") return stopCall(consulted.call, deniedOutcome(consulted.call, decision));
    const { request: asked, input } = consulted.call;
    recordApprovedCall(asked.scope.tally, { registration, input });
    const approved = { ...decision, reason: `approved (${reason})` };
    const immediate = request === undefined ? undefined : { request, decision: answer };
    return issuePermit(consulted.call, approved, approvers, { atOnce: immediate });
  });
};

const unreadableDecisionText =
  'the answer could not be read: it must be { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }';

export const readDecision = (given: ApprovalDecision): ApprovalDecision => {
  try {
    const { kind, reason, input, always } = given as Readonly<Record<string, unknown>>;
    return Object.freeze({ kind, reason, input, always }) as ApprovalDecision;
  } catch {
    return Object.freeze({ kind: "unreadable" }) as never;
  }
};

const approvalScopes: ReadonlySet<unknown> = new Set([undefined, "run", "session"]);

export const isDecision = (answer: unknown): answer is ApprovalDecision => {
  const { kind, always, input } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === "edit") return input !== undefined;
  return (kind === "allow" && approvalScopes.has(always)) || kind === "deny";
};

export const isSessionMissing = (answer: ApprovalDecision, principal: Principal): boolean =>
  answer.kind === "allow" && answer.always === "session" && callerIdentityOf(principal).session === undefined;

export const noSessionMessage =
  'The caller has no session, so a session grant is not possible. Answer with always: "run", or without always.';

export const checkDecision = (
  { principal }: ApprovalRecord,
  answer: ApprovalDecision,
): Effect.Effect<void, ToolApprovalError> => {
  if (!isDecision(answer)) return Effect.fail(unreadableDecisionError());
  return isSessionMissing(answer, principal)
    ? Effect.fail(approvalError("unreadable_decision", noSessionMessage))
    : Effect.void;
};

export const toTakeError = (
  kind: Exclude<TakeApprovalResult["kind"], "taken">,
  record: ApprovalRecord,
): ToolApprovalError => {
  if (kind === "waiting") {
    const message = `The call of "${record.tool}" is still pending approval.`;
    return new ToolApprovalError("approval_required", message, { tool: record.tool });
  }
  return kind === "expired"
    ? new ToolApprovalError("approval_expired", approvalExpiredMessage(record), { tool: record.tool })
    : alreadyAnsweredError(record);
};

export const approvalExpiredOutcome = (record: Pick<ApprovalRecord, "tool">): Outcome =>
  failed({ code: "approval_expired", tool: record.tool, message: approvalExpiredMessage(record) });

const approvalExpiredMessage = ({ tool }: Pick<ApprovalRecord, "tool">): string =>
  `The call of "${tool}" was not approved in time. It did not run.`;

const unreadableDecisionError = (): ToolApprovalError =>
  approvalError(
    "unreadable_decision",
    'Answer an approval with { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }.',
  );

export const unknownApprovalError = (id: string): ToolApprovalError =>
  approvalError("unknown_approval", `No approval request "${id}" is open.`);

export const alreadyAnsweredError = ({ id, answeredBy }: ApprovalRecord): ToolApprovalError => {
  const by = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  return approvalError(
    "unknown_approval",
    `The approval request "${id}" is no longer open: it was answered${by}.`,
  );
};

const approvalError = (code: FailureCode, message: string): ToolApprovalError =>
  new ToolApprovalError(code, message);
