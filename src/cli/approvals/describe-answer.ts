import type { ApprovalRecord } from "../../types/approval.ts";
import { formatTime, shortId } from "../ledger/short-id.ts";

export const describeAnswer = (record: ApprovalRecord): string => {
  const asked = `approval ${shortId(record.id)}, requested ${formatTime(record.askedAt)} because ${record.reason}`;
  return `${describeApprovalState(record)} (${asked})`;
};

export const describeApprovalState = (record: ApprovalRecord): string => {
  const { status, decision, answeredBy, answeredAt, expiresAt } = record;
  if (decision === undefined) {
    const when = expiresAt === undefined ? "" : ` ${formatTime(expiresAt)}`;
    if (status === "expired") return `expired unanswered${when}`;
    return status === "void" ? "void: its call can no longer be resumed" : "pending";
  }
  const who = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  const when = answeredAt === undefined ? "" : ` ${formatTime(answeredAt)}`;
  const then = status === "void" ? ", void: the tool or its arguments changed" : "";
  return `${describeDecision(decision)}${who}${when}${status === "used" ? ", call resumed" : then}`;
};

const describeDecision = (decision: NonNullable<ApprovalRecord["decision"]>): string => {
  switch (decision.kind) {
    case "allow":
      return decision.always === undefined ? "approved" : `approved for this ${decision.always}`;
    case "edit":
      return "approved with other arguments";
    case "deny":
      return decision.reason === undefined ? "denied" : `denied (${decision.reason})`;
  }
};
