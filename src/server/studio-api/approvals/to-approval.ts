import type { ApprovalRecord } from "../../../types/approval.ts";
import { toCaller } from "../api-context.ts";
import { definedFields, toText } from "../read-query.ts";
import type { Approval } from "../schemas/approvals.ts";
import type { StudioServices } from "../studio-services.ts";

const approvalStatusOf = ({ status, expiresAt }: ApprovalRecord, now: number): Approval["status"] =>
  status === "waiting" && expiresAt !== undefined && expiresAt <= now ? "expired" : status;

/** Masks the input, which memory ledgers store unmasked. */
export const toApproval = ({ redactor, now }: StudioServices, record: ApprovalRecord): Approval => {
  const { id, entryId, callId, runId, tool, reason, askedAt, decision, expiresAt, waitsFor } = record;
  const toMaskedJson = (value: unknown): string => JSON.stringify(redactor.value(value)) ?? "null";
  return {
    id,
    entryId,
    callId,
    runId,
    tool,
    caller: toCaller(record.principal),
    reason,
    input: toText(toMaskedJson(record.input)),
    askedAt,
    ...definedFields({ expiresAt }),
    status: approvalStatusOf(record, now()),
    ...(decision === undefined ? {} : { decision: decision.kind }),
    ...(decision?.kind === "edit" ? { edited: toText(toMaskedJson(decision.input)) } : {}),
    ...(decision?.kind === "allow" && decision.always !== undefined ? { always: decision.always } : {}),
    ...(decision?.kind === "deny" && decision.reason !== undefined ? { denyReason: decision.reason } : {}),
    ...definedFields({ answeredBy: record.answeredBy, answeredAt: record.answeredAt, waitsFor }),
  };
};
