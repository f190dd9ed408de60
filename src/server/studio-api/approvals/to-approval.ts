import type { ApprovalRecord } from "../../words/approval.ts";
import { given } from "../calls/call-line.ts";
import { toCaller } from "../person.ts";
import { toText } from "../text.ts";
import type { Approval } from "../words/approvals.ts";
import type { StudioWorld } from "../world.ts";

/** A question whose time is up waits no longer, whether or not somebody has written that down. */
const statusOf = ({ status, expiresAt }: ApprovalRecord, now: number): Approval["status"] =>
  status === "waiting" && expiresAt !== undefined && expiresAt <= now ? "expired" : status;

/** The arguments are masked as in the ledger: a book in memory has them as they are. */
export const toApproval = ({ redactor, now }: StudioWorld, record: ApprovalRecord): Approval => {
  const { id, entryId, callId, runId, tool, reason, askedAt, decision, expiresAt, waitsFor } = record;
  const shown = (value: unknown): string => JSON.stringify(redactor.value(value)) ?? "null";
  return {
    id,
    entryId,
    callId,
    runId,
    tool,
    caller: toCaller(record.principal),
    reason,
    input: toText(shown(record.input)),
    askedAt,
    ...given({ expiresAt }),
    status: statusOf(record, now()),
    ...(decision === undefined ? {} : { decision: decision.kind }),
    ...(decision?.kind === "edit" ? { edited: toText(shown(decision.input)) } : {}),
    ...(decision?.kind === "allow" && decision.always !== undefined ? { always: decision.always } : {}),
    ...(decision?.kind === "deny" && decision.reason !== undefined ? { denyReason: decision.reason } : {}),
    ...given({ answeredBy: record.answeredBy, answeredAt: record.answeredAt, waitsFor }),
  };
};
