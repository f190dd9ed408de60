import * as Effect from "effect/Effect";
import { addRunTaints } from "../../call/recorder.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../words/approval.ts";
import { ToolApprovalError, type ToolError } from "../../words/errors.ts";
import type { Reply } from "../../words/reply.ts";
import { askedOf } from "../own-records.ts";
import type { Shared } from "../shared.ts";
import { callKey } from "./session-call.ts";
import { duringTurn, type LiveSession } from "./session-claim.ts";
import type { ReadSession } from "./session-options.ts";
import { patienceOf, toToolError, withBudget } from "./session-scope.ts";

/** Answers an approval request of the session and makes its call, under the same lock as a turn that requests the call. */
export const answerTo = (
  shared: Shared,
  session: ReadSession,
  live: LiveSession,
  approvalId: string,
  decision: ApprovalDecision,
  by: string | undefined,
): Effect.Effect<Reply, ToolError> => {
  const { principal } = session;
  const answered = duringTurn(shared.ledger, live, patienceOf(session), ({ scope }) =>
    Effect.gen(function* () {
      const open = yield* openQuestions(shared, session);
      const asked = open.find(({ id }) => id === approvalId);
      if (asked === undefined) return yield* Effect.fail(notAsked(approvalId, session));
      const keys = yield* Effect.forEach(withCallers(open, asked), (each) => keyOf(shared, each));
      return yield* live.locks.hold(keys, undefined, () => {
        const goOn = { principal, by, scope: withBudget(session, scope) };
        return Effect.tap(shared.tools.resume(approvalId, decision, goOn), ({ taints }) =>
          Effect.sync(() => {
            if (taints !== undefined) addRunTaints(scope.tally, taints);
          }),
        );
      });
    }),
  );
  return Effect.mapError(answered, toToolError);
};

/** The approval and those of the suspended code that made the call: a turn that resumes the code needs the call's outcome. */
const withCallers = (open: readonly ApprovalRecord[], asked: ApprovalRecord): readonly ApprovalRecord[] => [
  asked,
  ...open.filter(({ waitsFor }) => waitsFor?.includes(asked.id)).flatMap((each) => withCallers(open, each)),
];

const keyOf = (
  { ledger }: Shared,
  { callId, entryId, rawTool }: ApprovalRecord,
): Effect.Effect<string, ToolError> =>
  Effect.map(ledger.entries({ entryId }), ([entry]) => callKey(callId, rawTool, entry?.inputHash ?? ""));

/** What persons are asked about calls of this session, or have answered and nobody has gone on with. */
export const openQuestions = (
  { ledger }: Shared,
  { principal, runId }: ReadSession,
): Effect.Effect<readonly ApprovalRecord[], ToolError> =>
  Effect.map(askedOf(ledger, principal, { runId }), (all) =>
    all.filter(({ status }) => status === "waiting" || status === "answered"),
  );

const notAsked = (approvalId: string, { id }: ReadSession): ToolApprovalError =>
  new ToolApprovalError(
    "unknown_approval",
    `Nobody asks "${approvalId}" in the session "${id}" any more: it was answered and gone on with, it expired, or it never was.`,
  );
