import * as Effect from "effect/Effect";
import { addRunTaints } from "../../call/recorder.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../words/approval.ts";
import { ToolApprovalError, type ToolError } from "../../words/errors.ts";
import type { Reply } from "../../words/reply.ts";
import { askedOf } from "../own-records.ts";
import type { Shared } from "../shared.ts";
import { duringTurn, type LiveSession } from "./session-claim.ts";
import type { ReadSession } from "./session-options.ts";
import { patienceOf, toToolError, withBudget } from "./session-scope.ts";

/** Answers one of the session's own questions and goes on with its call, once. */
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
      const asked = yield* openQuestions(shared, session);
      if (!asked.some(({ id }) => id === approvalId))
        return yield* Effect.fail(notAsked(approvalId, session));
      const goOn = { principal, by, scope: withBudget(session, scope) };
      const reply = yield* shared.tools.resume(approvalId, decision, goOn);
      if (reply.taints !== undefined) addRunTaints(scope.tally, reply.taints);
      return reply;
    }),
  );
  return Effect.mapError(answered, toToolError);
};

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
