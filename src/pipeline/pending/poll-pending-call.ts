import * as Effect from "effect/Effect";
import type { ApprovalRecord, ApprovalRequest } from "../../words/approval.ts";
import type { AnyToolError, LedgerError } from "../../words/errors.ts";
import type { FailureCode } from "../../words/failures.ts";
import type { Recalled } from "../../words/ledger.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import { actingFor } from "../../words/principal.ts";
import type { Reply } from "../../words/reply.ts";
import { toReply } from "../8-reply/reply.ts";
import type { CallServices } from "../call-services.ts";
import { outcomeOf } from "../idempotency.ts";
import { type Resuming, resumeCall } from "./resume-call.ts";
import { outermostOf, toWaiting } from "./suspended-call.ts";

/** What a caller is told that asks again for a call that waited. */
export interface AskedAgain {
  readonly reply: Reply;
  /** The call has come to its end: the same request is another call from now on. */
  readonly isOver: boolean;
}

/** What a caller knows of a call that it was told waits. */
export type WaitingRequest = Pick<ApprovalRequest, "id" | "callId" | "tool">;

/**
 * A caller asks once more for a call that waits, by the approval it waits for. An answer that came meanwhile is used;
 * where somebody else went on with the call, what came of it is told from the ledger. Nobody is asked anew.
 */
export const askAgain = (
  services: CallServices,
  request: WaitingRequest,
  resuming: Resuming,
): Effect.Effect<AskedAgain, AnyToolError> =>
  Effect.gen(function* () {
    const asked = yield* services.approvals.find(request.id);
    if (asked === undefined)
      return over(toReply(rawOf(request), notOnRecord(request), "", services.redactor));
    const record = yield* newestOf(services, yield* outermostOf(services, asked));
    const going = Effect.map(resumeCall(services, record.id, undefined, resuming), over);
    return yield* Effect.catch(going, (error) => {
      if (error.code === "approval_required") return stillWaiting(services, record);
      const isOwn =
        resuming.principal !== undefined && actingFor(asked.principal, resuming.principal) !== undefined;
      return isOwn && closed.has(error.code) ? whatCameOf(services, record) : Effect.fail(error);
    });
  });

/** Somebody went on with the call, or nobody can any more. */
const closed: ReadonlySet<FailureCode> = new Set<FailureCode>(["unknown_approval", "approval_expired"]);

const over = (reply: Reply): AskedAgain => ({ reply, isOver: reply.pending === undefined });

const rawOf = ({ callId: id, tool }: WaitingRequest) => ({ id, tool });

/** A call may wait a second time, such as for one that its code makes: then for another approval. */
const newestOf = (
  { approvals }: CallServices,
  asked: ApprovalRecord,
): Effect.Effect<ApprovalRecord, LedgerError> => {
  if (isOpen(asked)) return Effect.succeed(asked);
  return Effect.map(
    approvals.list({ runId: asked.runId }),
    (all) => all.findLast((each) => each.entryId === asked.entryId && isOpen(each)) ?? asked,
  );
};

const isOpen = ({ status }: ApprovalRecord): boolean => status === "waiting" || status === "answered";

const stillWaiting = (
  services: CallServices,
  record: ApprovalRecord,
): Effect.Effect<AskedAgain, LedgerError> =>
  Effect.map(toWaiting(services, record), (waits) => ({
    reply: toReply(rawOf(record), waits, "", services.redactor),
    isOver: false,
  }));

const whatCameOf = (services: CallServices, record: ApprovalRecord): Effect.Effect<AskedAgain, LedgerError> =>
  Effect.map(recall(services, record), (kept) => {
    const outcome = kept === undefined ? notOnRecord(record) : outcomeOf(kept);
    const { redactor, waiting } = services;
    if (outcome === undefined) {
      return { reply: toReply(rawOf(record), underWay(record), "", redactor), isOver: false };
    }
    // A question that another process answered is not open in this one any more.
    waiting.delete(record.id);
    return over(toReply(rawOf(record), outcome, kept?.result ?? "", redactor, kept?.entry.taints));
  });

const recall = (
  { ledger }: CallServices,
  { entryId }: ApprovalRecord,
): Effect.Effect<Recalled | undefined, LedgerError> => {
  if (ledger.recall !== undefined) return ledger.recall(entryId);
  return Effect.map(ledger.entries({ entryId }), ([entry]) =>
    entry === undefined ? undefined : { entry, input: undefined, result: undefined },
  );
};

const underWay = ({ tool }: ApprovalRecord): Outcome =>
  failed({
    code: "still_running",
    tool,
    message: `The call of "${tool}" was approved and is under way. Ask for it once more to hear what came of it.`,
  });

const notOnRecord = ({ tool, id }: WaitingRequest): Outcome =>
  failed({
    code: "outcome_unknown",
    tool,
    message: `The call of "${tool}" waited for the approval "${id}", of which nothing is on record any more. It may have been made. Find out before you ask for it again.`,
  });
