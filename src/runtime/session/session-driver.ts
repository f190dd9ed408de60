import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord, ApprovalRequest } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import { type ToolError, toError } from "../../types/errors.ts";
import type { RunPlan } from "../../types/lineage.ts";
import type { Message } from "../../types/message.ts";
import type { Reply } from "../../types/reply.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { recordSessionMessages, recordSessionPlan } from "./record-session-messages.ts";
import { answerSessionApproval, openSessionApprovals } from "./session-approvals.ts";
import { LiveSession, type SessionIdentity, withSessionClaim } from "./session-claim.ts";
import { type SessionModel, type SessionModelOptions, sessionModel } from "./session-model.ts";
import type { ParsedSessionOptions } from "./session-options.ts";
import { claimFailureToError, claimWaitOf } from "./session-scope.ts";
import {
  executeSessionTurn,
  readSessionCallStatus,
  requestCallApproval,
  type SessionCallStatus,
  type SessionTurnOptions,
} from "./session-turn.ts";

export interface SessionDriver {
  readonly turn: (calls: readonly RawCall[], options: SessionTurnOptions) => Effect.Effect<readonly Reply[]>;
  readonly asks: (call: RawCall) => Effect.Effect<ApprovalRequest | undefined, ToolError>;
  readonly stands: (call: RawCall) => Effect.Effect<SessionCallStatus, ToolError>;
  readonly answer: (
    approvalId: string,
    decision: ApprovalDecision,
    by: string | undefined,
  ) => Effect.Effect<Reply, ToolError>;
  readonly model: (id: string, options: SessionModelOptions) => SessionModel;
  readonly note: (messages: readonly Message[]) => Effect.Effect<void, ToolError>;
  readonly plan: (plan: RunPlan) => Effect.Effect<void, ToolError>;
  readonly pending: () => Effect.Effect<readonly ApprovalRecord[], ToolError>;
  readonly end: () => Effect.Effect<void, ToolError>;
}

export const sessionDriver = (shared: SharedRuntime, session: ParsedSessionOptions): SessionDriver => {
  // Looked up each time, because idle sessions may be evicted.
  const live = () => liveSession(shared, session);
  return {
    turn: (calls, options) => executeSessionTurn(shared, session, live(), calls, options),
    asks: (call) => requestCallApproval(shared, session, live(), call),
    stands: (call) => readSessionCallStatus(shared, session, call),
    answer: (approvalId, decision, by) =>
      answerSessionApproval(shared, session, live(), approvalId, decision, by),
    model: (id, options) => sessionModel(shared, session, id, options),
    note: (messages) => recordSessionMessages(shared, session, live(), messages),
    plan: (plan) => recordSessionPlan(shared, session, live(), plan),
    pending: () => openSessionApprovals(shared, session),
    end: () => endSession(shared, session, live()),
  };
};

const sessionsByRuntime = new WeakMap<SharedRuntime, Map<string, LiveSession>>();

const maxIdleSessions = 10_000;

const liveSession = (shared: SharedRuntime, { runId, principal }: SessionIdentity): LiveSession => {
  const all = sessionsByRuntime.get(shared) ?? new Map<string, LiveSession>();
  sessionsByRuntime.set(shared, all);
  const known = all.get(runId) ?? new LiveSession({ runId, principal });
  if (all.size < maxIdleSessions) {
    all.set(runId, known);
    return known;
  }
  all.delete(runId);
  all.set(runId, known);
  // Without a durable ledger, sessions exist only here and are never evicted.
  if (shared.ledger.approvals?.isDurable === true && all.size > maxIdleSessions) evictIdleSession(all, known);
  return known;
};

const evictIdleSession = (all: Map<string, LiveSession>, kept: LiveSession): void => {
  for (const [id, each] of all) {
    if (each === kept || each.claim !== undefined) continue;
    all.delete(id);
    return;
  }
};

const endSession = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
): Effect.Effect<void, ToolError> => {
  const ended = withSessionClaim(shared.ledger, live, claimWaitOf(session), (claim) =>
    Effect.gen(function* () {
      if (claim.holders > 1) return yield* Effect.fail(toError(callsRunningFailure(session)));
      const { runs } = claim;
      if (runs === undefined) return;
      const at = (yield* Clock.Clock).currentTimeMillisUnsafe();
      yield* runs.cancel(session.runId, session.principal.agent, at);
      claim.isEnded = true;
    }),
  );
  return Effect.mapError(ended, claimFailureToError);
};

const callsRunningFailure = ({ id }: ParsedSessionOptions) => ({
  code: "still_running" as const,
  message: `The session "${id}" has running calls. End it when they have finished.`,
});
