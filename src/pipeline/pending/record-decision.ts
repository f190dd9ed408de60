import * as Effect from "effect/Effect";
import type {
  AnswerStatus,
  ApprovalDecision,
  ApprovalRecord,
  RecordedAnswer,
  TakeApprovalResult,
} from "../../types/approval.ts";
import type { LedgerError, ToolApprovalError } from "../../types/errors.ts";
import { pending, type Reply } from "../../types/outcome.ts";
import { runKindOf } from "../../types/run-store.ts";
import { toReply } from "../8-reply/reply.ts";
import type { CallServices } from "../call-state.ts";
import { alreadyAnsweredError, toTakeError } from "./apply-decision.ts";

export const deferToRun = (
  services: CallServices,
  record: ApprovalRecord,
  answer: ApprovalDecision | undefined,
  by: string | undefined,
  at: number,
): Effect.Effect<Reply, ToolApprovalError | LedgerError> =>
  Effect.as(
    recordDecision(services, record, answer, by, at),
    toDecisionRecordedReply(services, record, describeResumption(record)),
  );

const describeResumption = ({ runId, principal }: ApprovalRecord): string => {
  const kind = runKindOf(runId);
  return kind === "chat" || kind === "session"
    ? `when its ${kind} "${principal.session}" continues`
    : `when its run "${runId}" is resumed`;
};

export const recordDecision = (
  { approvals }: CallServices,
  record: ApprovalRecord,
  answer: ApprovalDecision | undefined,
  by: string | undefined,
  at: number,
): Effect.Effect<void, ToolApprovalError | LedgerError> =>
  Effect.gen(function* () {
    if (answer !== undefined) {
      const result = yield* writeDecision(approvals, record, { decision: answer, by, at });
      if (result === "expired") return yield* Effect.fail(toTakeError("expired", record));
    } else if (record.status !== "answered")
      return yield* Effect.fail(toTakeError(takeResultKindOf(record), record));
  });

export const toDecisionRecordedReply = (
  { redactor }: CallServices,
  record: ApprovalRecord,
  when: string,
): Reply => {
  const { callId: id, rawTool: tool, reason, input, principal, runId } = record;
  const request = { id: record.id, callId: id, runId, tool: record.tool, principal, input, reason };
  const reply = toReply({ id, tool }, pending(request), "", redactor);
  return { ...reply, text: `The answer is recorded. The call runs ${when}.` };
};

const takeResultKindOf = ({ status }: ApprovalRecord): Exclude<TakeApprovalResult["kind"], "taken"> =>
  status === "answered" ? "waiting" : status;

export const writeDecision = (
  approvals: CallServices["approvals"],
  record: ApprovalRecord,
  decision: RecordedAnswer,
): Effect.Effect<AnswerStatus, ToolApprovalError | LedgerError> =>
  Effect.flatMap(approvals.answer(record.id, decision), (result) =>
    result === "unknown" || result === "already"
      ? Effect.fail(alreadyAnsweredError(record))
      : Effect.succeed(result),
  );
