import type { ApprovalRecord } from "../../words/approval.ts";
import { shortId } from "../ledger/ids.ts";
import { stamp } from "../ledger/times.ts";

/** What was asked and what came of it, in a line. */
export const answerOf = (record: ApprovalRecord): string => {
  const asked = `approval ${shortId(record.id)}, asked ${stamp(record.askedAt)} because ${record.reason}`;
  return `${stateOf(record)} (${asked})`;
};

/** What is the case with a request. */
export const stateOf = (record: ApprovalRecord): string => {
  const { status, decision, answeredBy, answeredAt, expiresAt } = record;
  if (decision === undefined) {
    const when = expiresAt === undefined ? "" : ` ${stamp(expiresAt)}`;
    if (status === "expired") return `expired unanswered${when}`;
    return status === "void" ? "void: nobody can go on with it any more" : "waits for an answer";
  }
  const who = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  const when = answeredAt === undefined ? "" : ` ${stamp(answeredAt)}`;
  const then = status === "void" ? ", void: the tool or its arguments were no longer the same" : "";
  return `${saidBy(decision)}${who}${when}${status === "used" ? ", and gone on with" : then}`;
};

const saidBy = (decision: NonNullable<ApprovalRecord["decision"]>): string => {
  switch (decision.kind) {
    case "allow":
      return decision.always === undefined ? "approved" : `approved for this ${decision.always}`;
    case "edit":
      return "approved with other arguments";
    case "deny":
      return decision.reason === undefined ? "denied" : `denied (${decision.reason})`;
  }
};
