import type { ApprovalRecord } from "../../types/approval.ts";
import { formatTime } from "../ledger/format-time.ts";
import { shortId } from "../ledger/short-id.ts";

export const describeAnswer = (record: ApprovalRecord): string => {
  const asked = `approval ${shortId(record.id)}, asked ${formatTime(record.askedAt)} because ${record.reason}`;
  return `${describeApprovalState(record)} (${asked})`;
};

export const describeApprovalState = (record: ApprovalRecord): string => {
  const { status, decision, answeredBy, answeredAt, expiresAt } = record;
  if (decision === undefined) {
    const when = expiresAt === undefined ? "" : ` ${formatTime(expiresAt)}`;
    if (status === "expired") return `expired unanswered${when}`;
    return status === "void" ? "void: nobody can go on with it any more" : "waits for an answer";
  }
  const who = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  const when = answeredAt === undefined ? "" : ` ${formatTime(answeredAt)}`;
  const then = status === "void" ? ", void: the tool or its arguments were no longer the same" : "";
  return `${describeDecision(decision)}${who}${when}${status === "used" ? ", and gone on with" : then}`;
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
