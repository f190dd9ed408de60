import * as Effect from "effect/Effect";
import type { ApprovalRecord, ApprovalRequest } from "../../types/approval.ts";
import type { AnyToolError, LedgerError } from "../../types/errors.ts";
import type { FailureCode } from "../../types/failures.ts";
import type { EntryTexts } from "../../types/ledger.ts";
import { failed, type Outcome, type Reply } from "../../types/outcome.ts";
import { resolveActingPrincipal } from "../../types/principal.ts";
import { toReply } from "../8-reply/reply.ts";
import type { CallServices } from "../call-state.ts";
import { toRecordedOutcome } from "../claim-keys.ts";
import { type ResumeCallOptions, resumeCall } from "./resume-call.ts";
import { findOutermostApproval, toPendingOutcome } from "./suspended-call.ts";

export interface PendingCallStatus {
  readonly reply: Reply;
  readonly isOver: boolean;
}

export type PendingCallRef = Pick<ApprovalRequest, "id" | "callId" | "tool">;

/**
 * Resumes the call if it was answered, and reads the result from the ledger if another process resumed it.
 */
export const pollPendingCall = (
  services: CallServices,
  request: PendingCallRef,
  resuming: ResumeCallOptions,
): Effect.Effect<PendingCallStatus, AnyToolError> =>
  Effect.gen(function* () {
    const asked = yield* services.approvals.find(request.id);
    if (asked === undefined)
      return toPollResult(toReply(toCallRef(request), approvalNotFound(request), "", services.redactor));
    const record = yield* findNewestApproval(services, yield* findOutermostApproval(services, asked));
    const going = Effect.map(resumeCall(services, record.id, undefined, resuming), toPollResult);
    return yield* Effect.catch(going, (error) => {
      if (error.code === "approval_required") return toPendingStatus(services, record);
      const isOwn =
        resuming.principal !== undefined &&
        resolveActingPrincipal(asked.principal, resuming.principal) !== undefined;
      return isOwn && closedCodes.has(error.code) ? toRecordedStatus(services, record) : Effect.fail(error);
    });
  });

const closedCodes: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_approval", "approval_expired"]);

const toPollResult = (reply: Reply): PendingCallStatus => ({ reply, isOver: reply.pending === undefined });

const toCallRef = ({ callId: id, tool }: PendingCallRef) => ({ id, tool });

/** A resumed call may become pending again under another approval, for example if its code makes a call. */
const findNewestApproval = (
  { approvals }: CallServices,
  asked: ApprovalRecord,
): Effect.Effect<ApprovalRecord, LedgerError> => {
  if (isOpenApproval(asked)) return Effect.succeed(asked);
  return Effect.map(
    approvals.list({ runId: asked.runId }),
    (all) => all.findLast((each) => each.entryId === asked.entryId && isOpenApproval(each)) ?? asked,
  );
};

const isOpenApproval = ({ status }: ApprovalRecord): boolean => status === "waiting" || status === "answered";

const toPendingStatus = (
  services: CallServices,
  record: ApprovalRecord,
): Effect.Effect<PendingCallStatus, LedgerError> =>
  Effect.map(toPendingOutcome(services, record), (waits) => ({
    reply: toReply(toCallRef(record), waits, "", services.redactor),
    isOver: false,
  }));

const toRecordedStatus = (
  services: CallServices,
  record: ApprovalRecord,
): Effect.Effect<PendingCallStatus, LedgerError> =>
  Effect.map(recallEntry(services, record), (kept) => {
    const outcome = kept === undefined ? approvalNotFound(record) : toRecordedOutcome(kept, services.ledger);
    const { redactor, pendingCalls: waiting } = services;
    if (outcome === undefined) {
      return { reply: toReply(toCallRef(record), approvedCallRunning(record), "", redactor), isOver: false };
    }
    waiting.delete(record.id);
    return toPollResult(
      toReply(toCallRef(record), outcome, kept?.result ?? "", redactor, kept?.entry.taints),
    );
  });

const recallEntry = (
  { ledger }: CallServices,
  { entryId }: ApprovalRecord,
): Effect.Effect<EntryTexts | undefined, LedgerError> => {
  if (ledger.recall !== undefined) return ledger.recall(entryId);
  return Effect.map(ledger.entries({ entryId }), ([entry]) =>
    entry === undefined ? undefined : { entry, input: undefined, result: undefined },
  );
};

const approvedCallRunning = ({ tool }: ApprovalRecord): Outcome =>
  failed({
    code: "still_running",
    tool,
    message: `The call of "${tool}" was approved and is running. Request it again to get its result.`,
  });

const approvalNotFound = ({ tool, id }: PendingCallRef): Outcome =>
  failed({
    code: "outcome_unknown",
    tool,
    message: `The call of "${tool}" was pending, and its approval request is no longer stored. The call may have run. Check before you request it again.`,
    detail: `The approval request was "${id}".`,
  });
