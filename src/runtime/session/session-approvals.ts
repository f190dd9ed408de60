import * as Effect from "effect/Effect";
import { addRunTaints } from "../../pipeline/recorder.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../types/approval.ts";
import { ToolApprovalError, type ToolError } from "../../types/errors.ts";
import type { Reply } from "../../types/reply.ts";
import { approvalsOfCaller } from "../caller-records.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { callKey } from "./session-call.ts";
import { type LiveSession, withSessionClaim } from "./session-claim.ts";
import type { ParsedSessionOptions } from "./session-options.ts";
import { claimFailureToError, claimWaitOf, withBudget } from "./session-scope.ts";

/**
 * Answers an approval request of the session and makes its call, under the same lock as a turn with that
 * call.
 */
export const answerSessionApproval = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  approvalId: string,
  decision: ApprovalDecision,
  by: string | undefined,
): Effect.Effect<Reply, ToolError> => {
  const { principal } = session;
  const answered = withSessionClaim(shared.ledger, live, claimWaitOf(session), ({ scope }) =>
    Effect.gen(function* () {
      const open = yield* openSessionApprovals(shared, session);
      const approval = open.find(({ id }) => id === approvalId);
      if (approval === undefined) return yield* Effect.fail(approvalNotOpenError(approvalId, session));
      const keys = yield* Effect.forEach(withSuspendedCallers(open, approval), (each) =>
        callKeyOfApproval(shared, each),
      );
      return yield* live.locks.hold(keys, undefined, () => {
        const resumeOptions = { principal, by, scope: withBudget(session, scope) };
        return Effect.tap(shared.tools.resume(approvalId, decision, resumeOptions), ({ taints }) =>
          Effect.sync(() => {
            if (taints !== undefined) addRunTaints(scope.tally, taints);
          }),
        );
      });
    }),
  );
  return Effect.mapError(answered, claimFailureToError);
};

/**
 * The approval and those of the suspended code that made the call: a turn that resumes the code needs the
 * call's outcome.
 */
const withSuspendedCallers = (
  open: readonly ApprovalRecord[],
  asked: ApprovalRecord,
): readonly ApprovalRecord[] => [
  asked,
  ...open
    .filter(({ waitsFor }) => waitsFor?.includes(asked.id))
    .flatMap((each) => withSuspendedCallers(open, each)),
];

const callKeyOfApproval = (
  { ledger }: SharedRuntime,
  { callId, entryId, rawTool }: ApprovalRecord,
): Effect.Effect<string, ToolError> =>
  Effect.map(ledger.entries({ entryId }), ([entry]) => callKey(callId, rawTool, entry?.inputHash ?? ""));

export const openSessionApprovals = (
  { ledger }: SharedRuntime,
  { principal, runId }: ParsedSessionOptions,
): Effect.Effect<readonly ApprovalRecord[], ToolError> =>
  Effect.map(approvalsOfCaller(ledger, principal, { runId }), (all) =>
    all.filter(({ status }) => status === "waiting" || status === "answered"),
  );

const approvalNotOpenError = (approvalId: string, { id }: ParsedSessionOptions): ToolApprovalError =>
  new ToolApprovalError(
    "unknown_approval",
    `The approval request "${approvalId}" is not open in the session "${id}": it was answered and resumed, has expired, or never existed.`,
  );
