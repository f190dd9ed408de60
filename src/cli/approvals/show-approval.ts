import type { ApprovalRecord } from "../../types/approval.ts";
import { callerIdentityOf } from "../../types/principal.ts";
import type { Terminal } from "../command.ts";
import { formatTime } from "../ledger/format-time.ts";
import { alignColumns, painter, plainText } from "../screen.ts";
import { describeApprovalState } from "./describe-answer.ts";
import { approvalArgumentsText, expiryText } from "./list-approvals.ts";

export const formatApproval = (record: ApprovalRecord, terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { id, tool, runId, callId, entryId, reason, askedAt, expiresAt, principal, decision } = record;
  const { agent, user, tenant, session } = callerIdentityOf(principal);
  const isLimited = record.status === "waiting" && expiresAt !== undefined;
  const expiry = expiryText(record, terminal.now()) + (isLimited ? `, ${formatTime(expiresAt)}` : "");
  const facts = [
    ["why", reason],
    ["answer", describeApprovalState(record)],
    ["agent", agent],
    ["user", user],
    ["tenant", tenant],
    ["session", session],
    ["asked", formatTime(askedAt)],
    ["expires", record.status === "waiting" ? expiry : undefined],
    ["run", runId],
    ["call", callId],
    ["entry", entryId],
    ["definition", record.definition],
  ].flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, plainText(value)]]));
  const isEdited = decision?.kind === "edit";
  return [
    `${bold(plainText(tool))} ${id}`,
    alignColumns(facts, Number.POSITIVE_INFINITY),
    "",
    dim(isEdited ? "  arguments, as edited" : "  arguments"),
    indentLines(approvalArgumentsText(record, 2)),
    ...(isEdited
      ? [dim("  the requested arguments"), indentLines(JSON.stringify(record.input, null, 2))]
      : []),
    "",
  ].join("\n");
};

const indentLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${plainText(line)}`)
    .join("\n");
