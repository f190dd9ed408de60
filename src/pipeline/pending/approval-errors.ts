import * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord, TakeApprovalResult } from "../../types/approval.ts";
import { ToolApprovalError } from "../../types/errors.ts";
import type { FailureCode } from "../../types/failures.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import { isDecision, isSessionMissing, noSessionMessage } from "./apply-decision.ts";

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
