import * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord, Taken } from "../../words/approval.ts";
import { ToolApprovalError } from "../../words/errors.ts";
import type { FailureCode } from "../../words/failures.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import { isDecision, isForNoSession, noSession } from "./apply-decision.ts";

/** Why an answer cannot be taken: it is no decision, or holds for a session where there is none. */
export const checkAnswer = (
  { principal }: ApprovalRecord,
  answer: ApprovalDecision,
): Effect.Effect<void, ToolApprovalError> => {
  if (!isDecision(answer)) return Effect.fail(unreadable());
  return isForNoSession(answer, principal)
    ? Effect.fail(approvalError("unreadable_decision", noSession))
    : Effect.void;
};

export const notTaken = (
  kind: Exclude<Taken["kind"], "taken">,
  record: ApprovalRecord,
): ToolApprovalError => {
  if (kind === "waiting") {
    const message = `The call of "${record.tool}" still waits for a person to answer the approval "${record.id}".`;
    return new ToolApprovalError("approval_required", message, { tool: record.tool });
  }
  return kind === "expired"
    ? new ToolApprovalError("approval_expired", expiredMessage(record), { tool: record.tool })
    : answeredBefore(record);
};

export const expired = (record: Pick<ApprovalRecord, "tool">): Outcome =>
  failed({ code: "approval_expired", tool: record.tool, message: expiredMessage(record) });

const expiredMessage = ({ tool }: Pick<ApprovalRecord, "tool">): string =>
  `Nobody approved the call of "${tool}" in time. It was not made.`;

const unreadable = (): ToolApprovalError =>
  approvalError(
    "unreadable_decision",
    'An approval is answered with { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }.',
  );

export const unknownApproval = (id: string): ToolApprovalError =>
  approvalError("unknown_approval", `No call waits for the approval "${id}".`);

export const answeredBefore = ({ id, answeredBy }: ApprovalRecord): ToolApprovalError => {
  const by = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  return approvalError(
    "unknown_approval",
    `No call waits for the approval "${id}" any more: it was answered${by}.`,
  );
};

const approvalError = (code: FailureCode, message: string): ToolApprovalError =>
  new ToolApprovalError(code, message);
