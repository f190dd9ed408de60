import * as Effect from "effect/Effect";
import type { Answered, Answering, ApprovalDecision, ApprovalRecord, Taken } from "../../words/approval.ts";
import type { LedgerError, ToolApprovalError } from "../../words/errors.ts";
import { pending } from "../../words/outcome.ts";
import type { Reply } from "../../words/reply.ts";
import { isChatRun, isSessionRun } from "../../words/run-book.ts";
import { toReply } from "../8-reply/reply.ts";
import type { CallServices } from "../call-services.ts";
import { answeredBefore, notTaken } from "./refusals.ts";

/** The answer is kept, and the call is made when its run goes on. */
export const leaveToRun = (
  services: CallServices,
  record: ApprovalRecord,
  answer: ApprovalDecision | undefined,
  by: string | undefined,
  at: number,
): Effect.Effect<Reply, ToolApprovalError | LedgerError> =>
  Effect.as(keepAnswer(services, record, answer, by, at), toKept(services, record, whenMade(record)));

const whenMade = ({ runId, principal }: ApprovalRecord): string => {
  if (isChatRun(runId)) return `when its chat "${principal.session}" goes on`;
  return isSessionRun(runId)
    ? `when its session "${principal.session}" goes on`
    : `when its run "${runId}" is resumed`;
};

/** Without an answer there must be one already. */
export const keepAnswer = (
  { approvals }: CallServices,
  record: ApprovalRecord,
  answer: ApprovalDecision | undefined,
  by: string | undefined,
  at: number,
): Effect.Effect<void, ToolApprovalError | LedgerError> =>
  Effect.gen(function* () {
    if (answer !== undefined) {
      const said = yield* writeAnswer(approvals, record, { decision: answer, by, at });
      if (said === "expired") return yield* Effect.fail(notTaken("expired", record));
    } else if (record.status !== "answered") return yield* Effect.fail(notTaken(statusOf(record), record));
  });

/** What whoever answered is told, where somebody else makes the call. */
export const toKept = ({ redactor }: CallServices, record: ApprovalRecord, when: string): Reply => {
  const { callId: id, rawTool: tool, reason, input, principal, runId } = record;
  const request = { id: record.id, callId: id, runId, tool: record.tool, principal, input, reason };
  const reply = toReply({ id, tool }, pending(request), "", redactor);
  return { ...reply, text: `The answer is kept. The call is made ${when}.` };
};

const statusOf = ({ status }: ApprovalRecord): Exclude<Taken["kind"], "taken"> =>
  status === "answered" ? "waiting" : status;

/** The first answer counts; whoever comes later is told so. */
export const writeAnswer = (
  approvals: CallServices["approvals"],
  record: ApprovalRecord,
  answering: Answering,
): Effect.Effect<Answered, ToolApprovalError | LedgerError> =>
  Effect.flatMap(approvals.answer(record.id, answering), (said) =>
    said === "unknown" || said === "already" ? Effect.fail(answeredBefore(record)) : Effect.succeed(said),
  );
